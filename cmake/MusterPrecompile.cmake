# Standard headers, fmt and GoogleTest cost more to compile than most of our files, so they are compiled once per
# library. Every file still includes what it needs: the sanitizer presets build without precompiled headers.
option(MUSTER_PRECOMPILE "precompile the headers that most files of a library include" ON)

# muster_precompile(TARGET HEADER...)
function(muster_precompile target)
  if(MUSTER_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${ARGN})
    # GCC 12 gives false alarms about std::string. It suppresses them in system headers, but they appear when such a
    # header is precompiled.
    target_compile_options(${target} PRIVATE
      $<$<CXX_COMPILER_ID:GNU>:-Wno-array-bounds -Wno-stringop-overread -Wno-stringop-overflow -Wno-restrict>)
  endif()
endfunction()
