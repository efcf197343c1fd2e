# Most of a file's compile time goes to templates that its neighbours need as well. So the files of a folder are
# compiled together, a few at a time, which takes a third less CPU time. Two files that each define the same local name
# are kept apart (local_names.awk), so that names need not be distorted. If a change gives two files the same name, the
# compiler reports a redefinition: run cmake again. The sanitizer presets compile each file separately.
find_program(MUSTER_AWK awk REQUIRED)
mark_as_advanced(MUSTER_AWK)

option(MUSTER_UNITY "compile the files of a room together; OFF is faster when only one file has changed" ON)

# muster_compile_together(TARGET SOURCE...): compiles these sources of the target, given by paths relative to its
# folder.
function(muster_compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${MUSTER_UNITY} UNITY_BUILD_MODE GROUP)
  # A program that uses one function of a folder links only that function, not the rest of the folder.
  target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
  target_link_options(${target} INTERFACE -Wl,--gc-sections)
  if(NOT MUSTER_UNITY)
    return()
  endif()
  set(sources ${ARGN})
  list(FILTER sources INCLUDE REGEX "\\.cpp$")
  execute_process(COMMAND ${MUSTER_AWK} -v most=6 -f ${PROJECT_SOURCE_DIR}/cmake/local_names.awk ${sources}
    WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE groups COMMAND_ERROR_IS_FATAL ANY)
  while(groups)
    list(POP_FRONT groups group source)
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${group}")
  endwhile()
endfunction()
