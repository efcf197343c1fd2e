# Most of a file's compile time goes to templates that the files beside it need, too. So the files of a room are
# compiled together, a few at a time, which takes a third less CPU time. What one of them declares for itself alone, in
# an unnamed namespace, may then not have the name of another's. The sanitizer presets compile each file by itself.
option(MUSTER_UNITY "compile the files of a room together; OFF is faster after a change of one file" ON)

# muster_compile_together(TARGET SOURCE...): these sources of the target, by paths relative to its folder.
function(muster_compile_together target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${MUSTER_UNITY} UNITY_BUILD_MODE GROUP)
  # A program that takes one function of a room gets it, and not the rest of the room.
  target_compile_options(${target} PRIVATE -ffunction-sections -fdata-sections)
  target_link_options(${target} INTERFACE -Wl,--gc-sections)
  set(last none)
  foreach(source IN LISTS ARGN)
    cmake_path(GET source PARENT_PATH folder)
    if(NOT folder STREQUAL last)
      set(last ${folder})
      set(number 0)
    endif()
    math(EXPR group "${number} / 6")
    math(EXPR number "${number} + 1")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP "${folder}_${group}")
  endforeach()
endfunction()
