# Slurm's headers and plugin directory: defines Slurm::Slurm (headers only, nothing is
# linked: the plugin finds Slurm's symbols in the process that loads it), Slurm_VERSION
# (major.minor.micro) and Slurm_PLUGIN_DIR (relative to the prefix where it can be).
find_path(Slurm_INCLUDE_DIR slurm/spank.h)

if(Slurm_INCLUDE_DIR)
  file(STRINGS ${Slurm_INCLUDE_DIR}/slurm/slurm_version.h _number
       REGEX "define SLURM_VERSION_NUMBER +0x")
  string(REGEX MATCH "0x[0-9a-fA-F]+" _number "${_number}")
  math(EXPR _major "(${_number} >> 16) & 0xff")
  math(EXPR _minor "(${_number} >> 8) & 0xff")
  math(EXPR _micro "${_number} & 0xff")
  set(Slurm_VERSION ${_major}.${_minor}.${_micro})
endif()

# Debian calls the directory slurm-wlm, upstream's packages call it slurm.
find_path(_slurm_plugins NAMES auth_munge.so select_cons_tres.so
          PATHS /usr /usr/local /opt/slurm
          PATH_SUFFIXES lib64/slurm lib/slurm lib/${CMAKE_LIBRARY_ARCHITECTURE}/slurm-wlm
          NO_CACHE)
if(_slurm_plugins)
  # find_path leaves a slash at the end, after which there is no name.
  string(REGEX REPLACE "/+$" "" _slurm_plugins "${_slurm_plugins}")
  get_filename_component(_name "${_slurm_plugins}" NAME)
  set(Slurm_PLUGIN_DIR ${CMAKE_INSTALL_LIBDIR}/${_name} CACHE PATH "where muster.so is installed")
else()
  set(Slurm_PLUGIN_DIR ${CMAKE_INSTALL_LIBDIR}/slurm CACHE PATH "where muster.so is installed")
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Slurm REQUIRED_VARS Slurm_INCLUDE_DIR VERSION_VAR Slurm_VERSION)
if(Slurm_FOUND AND NOT TARGET Slurm::Slurm)
  add_library(Slurm::Slurm INTERFACE IMPORTED)
  set_target_properties(Slurm::Slurm PROPERTIES
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${Slurm_INCLUDE_DIR}
    INTERFACE_INCLUDE_DIRECTORIES ${Slurm_INCLUDE_DIR})
endif()
mark_as_advanced(Slurm_INCLUDE_DIR)
