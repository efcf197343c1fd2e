// Asio's own functions, compiled here once (ASIO_SEPARATE_COMPILATION) and not in each file that
// includes a header of Asio.
#include <asio/impl/src.hpp>
