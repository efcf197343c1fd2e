# A linker that takes half the time, if the toolchain has one: for programs that only this build runs. A change of one
# core header relinks a hundred of them.
include(CheckLinkerFlag)

# Sets VARIABLE to the option that selects it, or to an empty string.
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
