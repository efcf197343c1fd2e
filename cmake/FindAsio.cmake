# Standalone Asio (header only): defines Asio::Asio.
find_path(Asio_INCLUDE_DIR asio.hpp)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Asio REQUIRED_VARS Asio_INCLUDE_DIR)
if(Asio_FOUND AND NOT TARGET Asio::Asio)
  add_library(Asio::Asio INTERFACE IMPORTED)
  set_target_properties(Asio::Asio PROPERTIES
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${Asio_INCLUDE_DIR}
    INTERFACE_INCLUDE_DIRECTORIES ${Asio_INCLUDE_DIR}
    # Under Clang, Debian 12's release looks for coroutines only where libc++ once had them.
    INTERFACE_COMPILE_DEFINITIONS $<$<CXX_COMPILER_ID:Clang>:ASIO_HAS_CO_AWAIT=1>)
endif()
mark_as_advanced(Asio_INCLUDE_DIR)
