# What the programs are made of waits for sockets and processes, and decides in milliseconds: by count, -O1 takes 2 to
# 5 % more instructions than -O2 for `muster plan`, and compiles in three quarters of the time. The plugin and the
# worker library, which a training waits for, are compiled as the build type says.
set(MUSTER_PROGRAM_OPTIMIZATION -O1 CACHE STRING "optimization of lib/core and launcher/ in a RelWithDebInfo build")

# muster_optimize_program(TARGET), before its headers are precompiled
function(muster_optimize_program target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:${MUSTER_PROGRAM_OPTIMIZATION}>)
endfunction()
