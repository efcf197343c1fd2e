# PMIx's headers: defines PMIx::headers and PMIx_VERSION. The library itself is found at run time (dlopen), so that one
# build works with whatever PMIx a Slurm installation uses.
find_path(PMIx_INCLUDE_DIR pmix.h PATH_SUFFIXES pmix2/include
          HINTS /usr/lib/${CMAKE_LIBRARY_ARCHITECTURE})
if(PMIx_INCLUDE_DIR AND EXISTS ${PMIx_INCLUDE_DIR}/pmix_version.h)
  file(STRINGS ${PMIx_INCLUDE_DIR}/pmix_version.h _lines REGEX "PMIX_VERSION_(MAJOR|MINOR|RELEASE) ")
  string(REGEX REPLACE "[^0-9;]" "" PMIx_VERSION "${_lines}")
  string(REPLACE ";" "." PMIx_VERSION "${PMIx_VERSION}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(PMIx REQUIRED_VARS PMIx_INCLUDE_DIR VERSION_VAR PMIx_VERSION)
if(PMIx_FOUND AND NOT TARGET PMIx::headers)
  add_library(PMIx::headers INTERFACE IMPORTED)
  set_target_properties(PMIx::headers PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES ${PMIx_INCLUDE_DIR})
endif()
mark_as_advanced(PMIx_INCLUDE_DIR)
