// A floating-point type that moves the bits of another one of its width.
template <typename T>
struct SameWidth {
    using Type = float;
};
template <>
struct SameWidth<half> {
    using Type = half;
};
template <>
struct SameWidth<int16_t> {
    using Type = half;
};
template <>
struct SameWidth<uint16_t> {
    using Type = half;
};
