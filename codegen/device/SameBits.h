// The bits of a value as another type of its width.
template <typename To, typename From>
__aicore__ inline To SameBits(From value)
{
    static_assert(sizeof(To) == sizeof(From), "the types differ in width");
    union {
        From from;
        To to;
    } bits = {value};
    return bits.to;
}
