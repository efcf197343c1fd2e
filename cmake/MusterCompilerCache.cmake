# If ccache is installed, files that were compiled before from the same bytes with the same flags come from its cache:
# after switching branches and back, or after a file was only touched.
option(MUSTER_CCACHE "compile through ccache, if it is installed" ON)

if(MUSTER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(MUSTER_CCACHE_PROGRAM ccache)
  mark_as_advanced(MUSTER_CCACHE_PROGRAM)
  if(MUSTER_CCACHE_PROGRAM)
    # ccache caches files with a precompiled header only with these settings. It takes a file's dependencies from the
    # compiler instead of running the preprocessor itself.
    set(words CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros)
    if(NOT DEFINED ENV{CCACHE_DIR}) # write nothing to a home that nobody asked us to use and that may be read-only
      list(APPEND words CCACHE_DIR=${PROJECT_BINARY_DIR}/ccache)
    endif()
    set(CMAKE_CXX_COMPILER_LAUNCHER env ${words} ${MUSTER_CCACHE_PROGRAM})
    set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
  endif()
endif()
