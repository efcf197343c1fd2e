# The programs mostly wait for sockets and processes, and decide in milliseconds. With -O1, `muster plan` executes 2 to
# 5 % more instructions than with -O2, and compiles in three quarters of the time. The plugin and the worker library,
# which a training job waits for, are compiled as the build type says.
set(MUSTER_PROGRAM_OPTIMIZATION -O1 CACHE STRING "optimization of lib/core and launcher/ in a RelWithDebInfo build")

# muster_optimize_program(TARGET): call it before the target's headers are precompiled.
function(muster_optimize_program target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:RelWithDebInfo>:${MUSTER_PROGRAM_OPTIMIZATION}>)
endfunction()
