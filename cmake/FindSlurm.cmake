# For a new release of Slurm, see lib/core/slurm/releases.hpp.
#
# Slurm's headers and plugin directory: defines Slurm::Slurm (headers only; nothing is linked, because the plugin finds
# Slurm's symbols in the process that loads it), Slurm_VERSION (major.minor.micro), Slurm_RELEASE (22.05), Slurm_LAYOUT,
# Slurm_SYSCONF_DIR (the folder of slurm.conf) and Slurm_PLUGIN_DIR (relative to the prefix where possible).
find_path(Slurm_INCLUDE_DIR slurm/spank.h)

if(Slurm_INCLUDE_DIR)
  file(STRINGS ${Slurm_INCLUDE_DIR}/slurm/slurm_version.h _number
       REGEX "define SLURM_VERSION_NUMBER +0x")
  string(REGEX MATCH "0x[0-9a-fA-F]+" _number "${_number}")
  math(EXPR _major "(${_number} >> 16) & 0xff")
  math(EXPR _minor "(${_number} >> 8) & 0xff")
  math(EXPR _micro "${_number} & 0xff")
  set(Slurm_VERSION ${_major}.${_minor}.${_micro})
  # 22.05, as Slurm writes it.
  math(EXPR _two_digits "${_minor} + 100")
  string(SUBSTRING ${_two_digits} 1 2 _two_digits)
  set(Slurm_RELEASE ${_major}.${_two_digits})
endif()

# Slurm_LAYOUT says whose packages Slurm comes from: Debian's (wlm) keep their plugins in LIBDIR/slurm-wlm, SchedMD's
# (smd, Debian and RPM alike) in LIBDIR/slurm. With Slurm_ROOT it is the site's own build (opt), for example below /opt.
set(Slurm_LAYOUT "" CACHE STRING "wlm, smd or opt; detected if empty")
if(NOT Slurm_LAYOUT)
  find_path(_slurm_plugins NAMES auth_munge.so select_cons_tres.so
            PATHS /usr /usr/local /opt/slurm
            PATH_SUFFIXES lib64/slurm lib/slurm lib/${CMAKE_LIBRARY_ARCHITECTURE}/slurm lib/${CMAKE_LIBRARY_ARCHITECTURE}/slurm-wlm
            NO_CACHE)
  if(Slurm_ROOT)
    set(_layout opt)
  elseif(_slurm_plugins MATCHES "slurm-wlm/*$" OR (NOT _slurm_plugins AND EXISTS ${CMAKE_SYSROOT}/usr/share/doc/libslurm-dev))
    set(_layout wlm)
  else()
    set(_layout smd)
  endif()
  set_property(CACHE Slurm_LAYOUT PROPERTY VALUE ${_layout})
endif()
set(Slurm_SYSCONF_DIR /etc/slurm)
if(Slurm_LAYOUT STREQUAL "wlm")
  set(_plugins ${CMAKE_INSTALL_LIBDIR}/slurm-wlm)
elseif(Slurm_LAYOUT STREQUAL "smd" OR NOT Slurm_ROOT)
  set(_plugins ${CMAKE_INSTALL_LIBDIR}/slurm)
else()
  set(Slurm_SYSCONF_DIR ${Slurm_ROOT}/etc)
  set(_plugins ${Slurm_ROOT}/lib/slurm)
  if(EXISTS ${Slurm_ROOT}/lib64/slurm)
    set(_plugins ${Slurm_ROOT}/lib64/slurm)
  endif()
endif()
set(Slurm_PLUGIN_DIR ${_plugins} CACHE PATH "where muster.so is installed")
# Unless the user has set it, it follows from the prefix also if an existing build gets another one.
if(Slurm_PLUGIN_DIR STREQUAL "${_Slurm_PLUGIN_DIR_OF_PREFIX}")
  set_property(CACHE Slurm_PLUGIN_DIR PROPERTY VALUE ${_plugins})
endif()
set(_Slurm_PLUGIN_DIR_OF_PREFIX ${_plugins} CACHE INTERNAL "")

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Slurm REQUIRED_VARS Slurm_INCLUDE_DIR VERSION_VAR Slurm_VERSION)
if(Slurm_FOUND AND NOT TARGET Slurm::Slurm)
  add_library(Slurm::Slurm INTERFACE IMPORTED)
  set_target_properties(Slurm::Slurm PROPERTIES
    INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${Slurm_INCLUDE_DIR}
    INTERFACE_INCLUDE_DIRECTORIES ${Slurm_INCLUDE_DIR})
endif()
mark_as_advanced(Slurm_INCLUDE_DIR)
