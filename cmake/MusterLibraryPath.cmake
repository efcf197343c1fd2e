# A user's LD_LIBRARY_PATH, as a conda environment or a Spack package sets it, may name an older release of a library that
# the programs need, and srun starts muster in the user's environment. So programs that need shared libraries have the
# folders of these libraries in a DT_RPATH, which the loader searches before LD_LIBRARY_PATH. A DT_RUNPATH, the linker's
# default, comes after it.
#
# Only for programs of muster's own, not for libmuster, which runs in the user's process.

# muster_keep_libraries(TARGET)
function(muster_keep_libraries target)
  if(MUSTER_HWLOC_IS_STATIC AND MUSTER_SODIUM_ARCHIVE)
    return()
  endif()
  target_link_options(${target} PRIVATE -Wl,--disable-new-dtags)
  set(folders)
  foreach(library ${HWLOC_LINK_LIBRARIES} ${SODIUM_LINK_LIBRARIES})
    if(IS_ABSOLUTE ${library})
      cmake_path(GET library PARENT_PATH folder)
      list(APPEND folders ${folder})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES folders)
  set_property(TARGET ${target} APPEND PROPERTY BUILD_RPATH ${folders})
  set_property(TARGET ${target} APPEND PROPERTY INSTALL_RPATH ${folders})
  # The others, unless they are in the system's folder, which is hwloc's then.
  set_target_properties(${target} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON)
endfunction()
