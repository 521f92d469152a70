// One pipe waits for all that another has been given so far.
template <HardEvent event>
__aicore__ inline void Handshake(TPipe &pipe)
{
    const TEventID id = pipe.FetchEventID(event);
    SetFlag<event>(id);
    WaitFlag<event>(id);
}
