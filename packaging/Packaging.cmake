# Debian and RPM packages of the two components: packaging/build and packaging/README.md.
set(CPACK_PACKAGE_NAME muster)
set(CPACK_PACKAGE_VENDOR "muster")
set(CPACK_PACKAGE_CONTACT "The muster developers <muster@localhost>" CACHE STRING
    "Maintainer of the packages")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${PROJECT_DESCRIPTION}")
set(CPACK_RESOURCE_FILE_LICENSE ${PROJECT_SOURCE_DIR}/LICENSE)
set(CPACK_COMPONENTS_ALL program plugin library development python)
set(CPACK_PACKAGING_INSTALL_PREFIX ${CMAKE_INSTALL_PREFIX})
set(CPACK_SET_DESTDIR ON)  # /etc is outside the prefix
set(CPACK_STRIP_FILES ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/compress.cmake)

set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
"srun --distributed=torch ./train starts a training job on Slurm: every process
gets its rank, its neighbours, its cores and the address of rank 0. This package
contains the program that plans and supervises the job, with its profiles, its
configuration and its documentation. The plugin that Slurm loads is in the
package slurm-plugin-muster.")
set(CPACK_COMPONENT_PLUGIN_DESCRIPTION
"srun --distributed=torch ./train starts a training job on Slurm. This package
contains the plugin for Slurm, and the line in plugstack.conf.d that makes Slurm
load it. It is built for one release of Slurm, which its version names.")

set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
"libmuster connects the ranks of a job step over PMIx and starts NCCL, without a
port to choose or a store to serve. This package contains the library for
programs. Installing it needs neither the Slurm plugin, PMIx, NCCL nor a GPU: it
opens PMIx and NCCL when a call needs them.")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
"Headers for C and C++, pkg-config and CMake files of libmuster, which connects
the ranks of a job step and starts NCCL.")

set(CPACK_COMPONENT_PYTHON_DESCRIPTION
"libmuster for Python connects the ranks of a job step over PMIx, without a port
to choose: as a rendezvous of torch.distributed (muster://) and of JAX, and by
itself.")

# One copyright file per package, for packages only: cmake --install leaves them out.
install(FILES packaging/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program
        EXCLUDE_FROM_ALL)
install(FILES packaging/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/slurm-plugin-muster
        COMPONENT plugin EXCLUDE_FROM_ALL)
install(FILES packaging/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libmuster0
        COMPONENT library EXCLUDE_FROM_ALL)
install(FILES packaging/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libmuster-dev
        COMPONENT development EXCLUDE_FROM_ALL)
install(FILES packaging/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/python3-muster
        COMPONENT python EXCLUDE_FROM_ALL)

# Slurm's major.minor: 22.05.8 gives 22.05, and 22.06 as the version that it must stay below.
if(Slurm_VERSION)
  string(REGEX MATCH "^([0-9]+)\\.([0-9]+)" _ "${Slurm_VERSION}")
  set(_major ${CMAKE_MATCH_1})
  set(_minor ${CMAKE_MATCH_2})
  string(LENGTH "${_minor}" _digits)
  if(_digits EQUAL 1)
    set(_minor 0${_minor})
  endif()
  set(MUSTER_SLURM_RELEASE ${_major}.${_minor} CACHE INTERNAL "major.minor that muster.so is for")
  math(EXPR _next "1${_minor} - 100 + 1")
  if(_next LESS 10)
    set(_next 0${_next})
  endif()
  set(_next ${_major}.${_next})
  # Debian calls its Slurm packages slurm-wlm, SchedMD calls them slurm-smd.
  if(Slurm_PLUGIN_DIR MATCHES "slurm-wlm$")
    set(MUSTER_DEB_SLURM slurm-wlm-basic-plugins CACHE STRING "Debian package of the Slurm built for")
  else()
    set(MUSTER_DEB_SLURM slurm-smd CACHE STRING "Debian package of the Slurm built for")
  endif()
endif()

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME muster)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "slurm-plugin-muster, hwloc-nox | hwloc")
set(CPACK_DEBIAN_PLUGIN_PACKAGE_NAME slurm-plugin-muster)
set(CPACK_DEBIAN_PLUGIN_PACKAGE_DEPENDS
    "muster (>= ${PROJECT_VERSION}), ${MUSTER_DEB_SLURM} (>= ${MUSTER_SLURM_RELEASE}), ${MUSTER_DEB_SLURM} (<< ${_next}~)")
set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libmuster0)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SUGGESTS "libpmix2t64 | libpmix2")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libmuster-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libmuster0 (= ${PROJECT_VERSION}-1)")
set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-muster)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_ARCHITECTURE all)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS OFF)
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3, libmuster0 (>= ${PROJECT_VERSION})")
foreach(_component program plugin)
  string(TOUPPER ${_component} _name)
  set(CPACK_DEBIAN_${_name}_PACKAGE_CONTROL_EXTRA
      ${PROJECT_SOURCE_DIR}/packaging/debian/${_component}/conffiles)
endforeach()

set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_PACKAGE_RELOCATABLE OFF)
set(CPACK_RPM_PACKAGE_RELOCATABLE OFF)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE Apache-2.0)
set(CPACK_RPM_PACKAGE_GROUP System/Libraries)
set(CPACK_RPM_PROGRAM_PACKAGE_NAME muster)
set(CPACK_RPM_PLUGIN_PACKAGE_NAME slurm-plugin-muster)
set(CPACK_RPM_PLUGIN_PACKAGE_REQUIRES
    "muster >= ${PROJECT_VERSION}, slurm >= ${MUSTER_SLURM_RELEASE}, slurm < ${_next}")
set(CPACK_RPM_LIBRARY_PACKAGE_NAME libmuster0)
set(CPACK_RPM_DEVELOPMENT_PACKAGE_NAME libmuster-devel)
set(CPACK_RPM_DEVELOPMENT_PACKAGE_REQUIRES "libmuster0 = ${PROJECT_VERSION}")
set(CPACK_RPM_PYTHON_PACKAGE_NAME python3-muster)
set(CPACK_RPM_PYTHON_PACKAGE_ARCHITECTURE noarch)
set(CPACK_RPM_PYTHON_PACKAGE_REQUIRES "python3, libmuster0 >= ${PROJECT_VERSION}")
set(CPACK_RPM_PROGRAM_USER_FILELIST "%config(noreplace) /etc/muster/muster.yaml")
set(CPACK_RPM_PLUGIN_USER_FILELIST "%config(noreplace) /etc/slurm/plugstack.conf.d/muster.conf")
# Directories that other packages own.
cmake_path(GET Slurm_PLUGIN_DIR PARENT_PATH _libraries)
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION
    /etc /etc/slurm /etc/slurm/plugstack.conf.d /usr/share/man /usr/share/man/man1
    /usr/share/man/man7 /usr/share/doc /usr/${_libraries} /usr/${Slurm_PLUGIN_DIR}
    /usr/${CMAKE_INSTALL_LIBDIR} /usr/${CMAKE_INSTALL_LIBDIR}/pkgconfig /usr/${CMAKE_INSTALL_LIBDIR}/cmake
    /usr/include /usr/lib/python3 /usr/lib/python3/dist-packages /usr/${MUSTER_PYTHON_LINKS})

# Of the manual pages and of completion.
list(APPEND CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION
     /etc/bash_completion.d /usr/share/man/man3 /usr/share/man/man5
     /usr/share/bash-completion /usr/share/bash-completion/completions /usr/share/zsh
     /usr/share/zsh/site-functions /usr/share/fish /usr/share/fish/vendor_completions.d
     /usr/share/fish/vendor_conf.d)
list(APPEND CPACK_RPM_PROGRAM_USER_FILELIST "%config(noreplace) /etc/bash_completion.d/muster-srun")

include(CPack)
