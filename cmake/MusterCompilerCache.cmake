# What has been compiled before, from the same bytes by the same words, comes from ccache where it is installed: after a
# switch of branches and back, or where a file was only touched.
option(MUSTER_CCACHE "compile through ccache, if it is installed" ON)

if(MUSTER_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(MUSTER_CCACHE_PROGRAM ccache)
  mark_as_advanced(MUSTER_CCACHE_PROGRAM)
  if(MUSTER_CCACHE_PROGRAM)
    # It takes files with a precompiled header by these words alone, and what a file depends on from the compiler
    # rather than from a run of the preprocessor of its own.
    set(words CCACHE_DEPEND=1 CCACHE_SLOPPINESS=pch_defines,time_macros)
    if(NOT DEFINED ENV{CCACHE_DIR}) # nothing in a home that nobody has asked for, and that may be read-only
      list(APPEND words CCACHE_DIR=${PROJECT_BINARY_DIR}/ccache)
    endif()
    set(CMAKE_CXX_COMPILER_LAUNCHER env ${words} ${MUSTER_CCACHE_PROGRAM})
    set(CMAKE_C_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
  endif()
endif()
