# Toolchain file that builds for arm64 on a machine of another architecture: the compiler is Debian's cross compiler;
# headers and libraries come from a Debian arm64 root (`scripts/cluster suite bookworm-arm64` makes it), and so does
# everything that a test needs. MUSTER_ARM64_ROOT names another root, whose compiler must not be older than this one.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)

get_filename_component(_root ${CMAKE_CURRENT_LIST_DIR}/../build/suites/bookworm-arm64/root ABSOLUTE)
set(MUSTER_ARM64_ROOT ${_root} CACHE PATH "Debian arm64 root with the libraries")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES MUSTER_ARM64_ROOT)
if(NOT EXISTS ${MUSTER_ARM64_ROOT}/usr/include)
  message(FATAL_ERROR "${MUSTER_ARM64_ROOT} is no Debian root; run `scripts/cluster suite bookworm-arm64` first")
endif()

set(CMAKE_SYSROOT ${MUSTER_ARM64_ROOT})
set(CMAKE_FIND_ROOT_PATH ${MUSTER_ARM64_ROOT})
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
foreach(_what LIBRARY INCLUDE PACKAGE)
  set(CMAKE_FIND_ROOT_PATH_MODE_${_what} ONLY)
endforeach()
set(ENV{PKG_CONFIG_SYSROOT_DIR} ${MUSTER_ARM64_ROOT})
set(ENV{PKG_CONFIG_LIBDIR} ${MUSTER_ARM64_ROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${MUSTER_ARM64_ROOT}/usr/share/pkgconfig)

# Programs of this build run in that root, so that the programs and libraries they start and open are arm64's too.
set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_CURRENT_LIST_DIR}/in_arm64_root ${MUSTER_ARM64_ROOT})
