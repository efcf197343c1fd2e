# If ccache is installed, files that have already been compiled from the same contents with the same flags come from its
# cache, for example after switching branches and back, or after merely touching a file.
option(MUSTER_CCACHE "compile through ccache, if it is installed" ON)

if(MUSTER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(MUSTER_CCACHE_PROGRAM ccache)
  mark_as_advanced(MUSTER_CCACHE_PROGRAM)
  if(MUSTER_CCACHE_PROGRAM)
    # ccache caches files with a precompiled header only with these settings. It takes a file's dependencies from the
    # compiler instead of running the preprocessor itself.
    set(words CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros)
    if(NOT DEFINED ENV{CCACHE_DIR}) # do not write to a home directory unasked; it may be read-only
      list(APPEND words CCACHE_DIR=${PROJECT_BINARY_DIR}/ccache)
    endif()
    set(CMAKE_CXX_COMPILER_LAUNCHER env ${words} ${MUSTER_CCACHE_PROGRAM})
    set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
  endif()
endif()
