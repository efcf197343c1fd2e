# Builds programs and libraries for an older glibc than this machine's: MUSTER_GLIBC names the oldest release that they
# must run on. The compiler, the headers and the libraries linked into the programs are still this machine's. Only the
# linker differs: zig (https://ziglang.org) knows the names and versions of every function of each glibc, and links to
# those. older_glibc.c provides what newer headers and libraries need and the old release lacks.
set(MUSTER_GLIBC "" CACHE STRING "oldest glibc that the programs must run on, such as 2.28; empty: this machine's")
if(NOT MUSTER_GLIBC)
  return()
endif()
if(NOT MUSTER_PORTABLE)
  message(FATAL_ERROR "MUSTER_GLIBC needs MUSTER_PORTABLE=ON: this machine's shared libraries need its glibc")
endif()
find_program(MUSTER_ZIG zig REQUIRED DOC "zig, the linker for MUSTER_GLIBC; `pip install ziglang` has it")
mark_as_advanced(MUSTER_ZIG)

# zig compiles its small start-up files at the first link, and keeps them. -O2 leaves out its debugging checks.
set(_zig "\"${CMAKE_COMMAND}\" -E env ZIG_GLOBAL_CACHE_DIR=${CMAKE_BINARY_DIR}/zig-cache \
  ${MUSTER_ZIG} cc -O2 -target ${CMAKE_SYSTEM_PROCESSOR}-linux-gnu.${MUSTER_GLIBC}")
string(REGEX REPLACE " +" " " _zig "${_zig}")
# GCC's own unwinder needs a function of glibc 2.35 to find the frames of an exception. zig's libunwind has the same
# interface and does not need it.
execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libstdc++.a
  OUTPUT_VARIABLE _runtime OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
string(APPEND _runtime " -lunwind")

set(CMAKE_CXX_LINK_EXECUTABLE "${_zig} -pie <LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES> ${_runtime}")
set(CMAKE_CXX_CREATE_SHARED_LIBRARY
  "${_zig} -shared <LINK_FLAGS> <SONAME_FLAG><TARGET_SONAME> -o <TARGET> <OBJECTS> <LINK_LIBRARIES> ${_runtime}")

add_library(muster_older_glibc STATIC ${PROJECT_SOURCE_DIR}/cmake/older_glibc.c)
target_link_libraries(muster_flags INTERFACE muster_older_glibc)

# A library that only provides symbol names; their version is that of the first glibc for this architecture.
set(_first 2.17)
if(CMAKE_SYSTEM_PROCESSOR STREQUAL "x86_64")
  set(_first 2.2.5)
endif()
file(CONFIGURE OUTPUT libanl.map CONTENT "GLIBC_${_first} { getaddrinfo_a; gai_*; };\n")
add_library(muster_libanl SHARED ${PROJECT_SOURCE_DIR}/cmake/libanl.c)
set_target_properties(muster_libanl PROPERTIES OUTPUT_NAME anl SOVERSION 1)
target_link_options(muster_libanl PRIVATE -nostdlib -Wl,--version-script=${CMAKE_BINARY_DIR}/libanl.map)
set(CMAKE_SKIP_RPATH ON)
