# Standard headers, fmt and GoogleTest cost more than most of our files: they are compiled once per
# library. Every file still includes what it needs: the sanitizer presets build without.
option(MUSTER_PRECOMPILE "precompile the headers that most files of a library include" ON)

# muster_precompile(TARGET HEADER...)
function(muster_precompile target)
  if(MUSTER_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${ARGN})
    # GCC 12's false alarms about std::string, which it keeps to itself in system headers, come out
    # where such a header is precompiled.
    target_compile_options(${target} PRIVATE
      $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds -Wno-stringop-overread -Wno-stringop-overflow -Wno-restrict>)
  endif()
endfunction()
