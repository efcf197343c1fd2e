# A linker that needs half of the time, where the toolchain has one: for programs that only this build runs.
# A hundred of them are linked again after a change of one core header.
include(CheckLinkerFlag)

# Sets VARIABLE to the option that chooses it, or to nothing.
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
