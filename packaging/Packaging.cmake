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
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/packaging/prepare.cmake)

set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
"srun --distributed=torch ./train starts a training job on Slurm: every process
gets its rank, its neighbours, its cores and the address of rank 0. This package
contains the program that plans and supervises the job, with its profiles, its
configuration and its documentation. The plugin that Slurm loads is in the
package slurm-plugin-muster.")
set(CPACK_COMPONENT_PLUGIN_DESCRIPTION
"srun --distributed=torch ./train starts a training job on Slurm. This package
contains the plugin for the one release of Slurm that its name has. Nothing loads
it until the administrator says: muster-plugstack enable.")

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

# Slurm loads only a plugin built for its own major.minor, so there is a package for each release and for each layout
# that cmake/FindSlurm.cmake finds: Debian's packages of Slurm (wlm), SchedMD's (smd), or the site's own Slurm in
# another place (opt), which no package manager knows about.
string(REGEX MATCH "^([0-9]+)\\.([0-9]+)" _ "${Slurm_VERSION}")
set(_major ${CMAKE_MATCH_1})
math(EXPR _next "${CMAKE_MATCH_2} + 101")
string(SUBSTRING ${_next} 1 2 _next)
set(_next ${_major}.${_next})  # 22.05.8 belongs to 22.05 and is below 22.06
set(_plugin slurm-plugin-muster-${Slurm_RELEASE})
if(Slurm_LAYOUT STREQUAL "wlm")
  set(_slurm slurm-wlm-basic-plugins)
elseif(Slurm_LAYOUT STREQUAL "smd")
  set(_slurm slurm-smd)
  string(APPEND _plugin -smd)
else()
  set(_slurm "")
  string(APPEND _plugin -opt)
endif()
set(MUSTER_DEB_SLURM "${_slurm}" CACHE STRING "Debian package of the Slurm built for; empty for none")

# One copyright file per package, only in packages: cmake --install leaves it out.
install(FILES packaging/copyright DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT program
        EXCLUDE_FROM_ALL)
install(FILES packaging/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${_plugin}
        COMPONENT plugin EXCLUDE_FROM_ALL)
install(FILES packaging/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libmuster0
        COMPONENT library EXCLUDE_FROM_ALL)
install(FILES packaging/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/libmuster-dev
        COMPONENT development EXCLUDE_FROM_ALL)
install(FILES packaging/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/python3-muster
        COMPONENT python EXCLUDE_FROM_ALL)

set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SECTION admin)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME muster)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS "slurm-plugin-muster, hwloc-nox | hwloc")
set(CPACK_DEBIAN_PLUGIN_PACKAGE_NAME ${_plugin})
set(CPACK_DEBIAN_PLUGIN_PACKAGE_PROVIDES slurm-plugin-muster)
set(CPACK_DEBIAN_PLUGIN_PACKAGE_DEPENDS "muster (>= ${PROJECT_VERSION})")
if(MUSTER_DEB_SLURM)
  string(APPEND CPACK_DEBIAN_PLUGIN_PACKAGE_DEPENDS
    ", ${MUSTER_DEB_SLURM} (>= ${Slurm_RELEASE}), ${MUSTER_DEB_SLURM} (<< ${_next}~)")
endif()
if(Slurm_LAYOUT STREQUAL "wlm" AND Slurm_RELEASE VERSION_LESS 24.11)
  # Debian 12's mpi_pmix.so opens libpmix.so, which is in this package. We only suggest it, because it brings a compiler
  # and torch does not need PMIx.
  set(CPACK_DEBIAN_PLUGIN_PACKAGE_SUGGESTS libpmix-dev)
endif()
if(NOT Slurm_LAYOUT STREQUAL "opt")
  # The plugin for another release has the same file, so one replaces the other when Slurm itself is upgraded. It also
  # breaks the plugin of the first packages, whose name had no release. We do not use Conflicts, because it would remove
  # the old file before the new one is there.
  set(CPACK_DEBIAN_PLUGIN_PACKAGE_BREAKS slurm-plugin-muster)
  set(CPACK_DEBIAN_PLUGIN_PACKAGE_REPLACES slurm-plugin-muster)
endif()
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
set(CPACK_DEBIAN_PROGRAM_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/packaging/debian/program/conffiles)
foreach(_script postinst prerm postrm)
  configure_file(packaging/debian/plugin/${_script}.in debian/plugin/${_script} @ONLY)
  list(APPEND CPACK_DEBIAN_PLUGIN_PACKAGE_CONTROL_EXTRA ${PROJECT_BINARY_DIR}/debian/plugin/${_script})
endforeach()

set(CPACK_RPM_COMPONENT_INSTALL ON)
set(CPACK_PACKAGE_RELOCATABLE OFF)
set(CPACK_RPM_PACKAGE_RELOCATABLE OFF)
set(CPACK_RPM_FILE_NAME RPM-DEFAULT)
set(CPACK_RPM_PACKAGE_LICENSE Apache-2.0)
set(CPACK_RPM_PACKAGE_GROUP System/Libraries)
set(CPACK_RPM_PROGRAM_PACKAGE_NAME muster)
set(CPACK_RPM_PLUGIN_PACKAGE_NAME ${_plugin})
set(CPACK_RPM_PLUGIN_PACKAGE_PROVIDES "slurm-plugin-muster = ${PROJECT_VERSION}")
set(CPACK_RPM_PLUGIN_PACKAGE_OBSOLETES "slurm-plugin-muster <= ${PROJECT_VERSION}-1.slurm${Slurm_RELEASE}")
set(CPACK_RPM_PLUGIN_PACKAGE_REQUIRES "muster >= ${PROJECT_VERSION}")
if(NOT Slurm_LAYOUT STREQUAL "opt")
  string(APPEND CPACK_RPM_PLUGIN_PACKAGE_REQUIRES ", slurm >= ${Slurm_RELEASE}, slurm < ${_next}")
endif()
set(CPACK_RPM_PLUGIN_PACKAGE_REQUIRES_POST muster)
set(CPACK_RPM_PLUGIN_PACKAGE_REQUIRES_PREUN muster)
foreach(_script post preun)
  configure_file(packaging/rpm/plugin/${_script}.in rpm/plugin/${_script} @ONLY)
endforeach()
set(CPACK_RPM_PLUGIN_POST_INSTALL_SCRIPT_FILE ${PROJECT_BINARY_DIR}/rpm/plugin/post)
set(CPACK_RPM_PLUGIN_PRE_UNINSTALL_SCRIPT_FILE ${PROJECT_BINARY_DIR}/rpm/plugin/preun)
# rpmbuild refuses the system's folder in a program's search path, which is on purpose: MusterLibraryPath.cmake.
# As for Debian: no file is newer than the source, and nothing names the machine that built it.
set(CPACK_RPM_SPEC_MORE_DEFINE "%global __brp_check_rpaths %{nil}
%define use_source_date_epoch_as_buildtime 1
%define clamp_mtime_to_source_date_epoch 1
%define _buildhost localhost")
set(CPACK_RPM_LIBRARY_PACKAGE_NAME libmuster0)
set(CPACK_RPM_DEVELOPMENT_PACKAGE_NAME libmuster-devel)
set(CPACK_RPM_DEVELOPMENT_PACKAGE_REQUIRES "libmuster0 = ${PROJECT_VERSION}")
set(CPACK_RPM_PYTHON_PACKAGE_NAME python3-muster)
set(CPACK_RPM_PYTHON_PACKAGE_ARCHITECTURE noarch)
set(CPACK_RPM_PYTHON_PACKAGE_REQUIRES "python3, libmuster0 >= ${PROJECT_VERSION}")
set(CPACK_RPM_PROGRAM_USER_FILELIST "%config(noreplace) /etc/muster/muster.yaml")
# Directories that other packages own.
cmake_path(ABSOLUTE_PATH Slurm_PLUGIN_DIR BASE_DIRECTORY ${CMAKE_INSTALL_PREFIX} OUTPUT_VARIABLE _slurm_plugins)
set(CPACK_RPM_EXCLUDE_FROM_AUTO_FILELIST_ADDITION
    /etc /opt ${_slurm_plugins} /usr/sbin /usr/share/man /usr/share/man/man1 /usr/share/man/man3
    /usr/share/man/man5 /usr/share/man/man7 /usr/share/doc /usr/share/bash-completion
    /usr/share/bash-completion/completions
    /usr/${CMAKE_INSTALL_LIBDIR} /usr/${CMAKE_INSTALL_LIBDIR}/pkgconfig /usr/${CMAKE_INSTALL_LIBDIR}/cmake
    /usr/include /usr/lib/python3 /usr/lib/python3/dist-packages /usr/${MUSTER_PYTHON_LINKS})
# The package also owns the shells' completion folders, because zsh and fish may not be installed.
list(APPEND CPACK_RPM_PROGRAM_USER_FILELIST "%config(noreplace) /etc/bash_completion.d/muster-srun")

include(CPack)
