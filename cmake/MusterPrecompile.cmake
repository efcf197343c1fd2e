# Standard headers, fmt and GoogleTest cost more than most of our files: they are compiled once per
# library. Every file still includes what it needs: the sanitizer presets build without.
option(MUSTER_PRECOMPILE "precompile the headers that most files of a library include" ON)

# muster_precompile(TARGET HEADER...)
function(muster_precompile target)
  if(MUSTER_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()
