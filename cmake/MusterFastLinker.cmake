# A linker that takes half the time, if the toolchain has one: for programs that are run only during this build. A
# change to one core header relinks a hundred of them.
include(CheckLinkerFlag)

# Sets VARIABLE to the option that selects the linker, or to an empty string.
function(muster_fast_linker variable)
  set(${variable} "" PARENT_SCOPE)
  foreach(name mold lld gold)
    check_linker_flag(CXX -fuse-ld=${name} MUSTER_HAS_LINKER_${name})
    if(MUSTER_HAS_LINKER_${name})
      set(${variable} -fuse-ld=${name} PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()
