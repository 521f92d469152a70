"""C++ that an emitted kernel needs to run here, and the compiler that builds it."""
