# Compiler and linker flags shared by every target: link to muster::flags.
add_library(muster_flags INTERFACE)
add_library(muster::flags ALIAS muster_flags)

# When files are compiled together (MusterUnity.cmake), a local name may shadow a name from another file.
set(shadow $<IF:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>,$<$<CXX_COMPILER_ID:GNU>:-Wshadow=local>,-Wshadow>)
target_compile_options(muster_flags INTERFACE
  -Wall -Wextra -Wpedantic ${shadow} -Wconversion -Wnon-virtual-dtor -Wold-style-cast
  -fstack-protector-strong)
# _FORTIFY_SOURCE needs optimisation; a Debug build would only warn about it.
target_compile_definitions(muster_flags INTERFACE
  $<$<NOT:$<CONFIG:Debug>>:_FORTIFY_SOURCE=2> ASIO_STANDALONE)
target_link_options(muster_flags INTERFACE -Wl,-z,relro -Wl,-z,now -Wl,-z,noexecstack)
if(MUSTER_WERROR)
  target_compile_options(muster_flags INTERFACE -Werror)
endif()

# The shim is loaded into Slurm's own processes, which do not contain a sanitizer runtime: only targets that link to
# muster::sanitized are instrumented.
add_library(muster_sanitized INTERFACE)
add_library(muster::sanitized ALIAS muster_sanitized)
if(MUSTER_SANITIZE)
  target_compile_options(muster_sanitized INTERFACE
    -fsanitize=${MUSTER_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(muster_sanitized INTERFACE -fsanitize=${MUSTER_SANITIZE})
  if(MUSTER_SANITIZE MATCHES thread AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    # TSan does not understand Asio's fences; each of our io_contexts has only one thread.
    target_compile_options(muster_sanitized INTERFACE -Wno-tsan)
  endif()
endif()
