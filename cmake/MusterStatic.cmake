# The libraries of the programs: muster::yaml, muster::pugixml, muster::fmt, muster::hwloc, muster::sodium, and, for
# programs only, muster::runtime.
#
# The agent starts on each node for each step, and used to spend a quarter of its CPU time on the symbols of shared C++
# libraries. So the programs link these libraries statically if all of them are available that way. It is all or none,
# because a program must not have two C++ runtimes. hwloc and libsodium follow one by one: what is linked statically
# cannot be replaced by another release on a user's LD_LIBRARY_PATH. MusterLibraryPath.cmake is for what stays shared.
option(MUSTER_STATIC_CXX "link the programs statically to their C++ libraries if static ones are installed" ON)

include(CheckCXXSourceCompiles)

# muster_has_static_cxx(RESULT): whether all static libraries are available.
function(muster_has_static_cxx result)
  set(${result} FALSE PARENT_SCOPE)
  if(NOT MUSTER_STATIC_CXX OR MUSTER_SANITIZE)
    return()
  endif()
  find_library(MUSTER_YAML_ARCHIVE libyaml-cpp.a)
  find_library(MUSTER_PUGIXML_ARCHIVE libpugixml.a)
  mark_as_advanced(MUSTER_YAML_ARCHIVE MUSTER_PUGIXML_ARCHIVE)
  set(CMAKE_REQUIRED_LINK_OPTIONS -static-libstdc++ -static-libgcc)
  check_cxx_source_compiles("#include <string>\nint main(int n, char**) { return std::string(n, 'a')[0]; }"
    MUSTER_STATIC_RUNTIME_WORKS)
  get_target_property(headers fmt::fmt INTERFACE_INCLUDE_DIRECTORIES)
  if(NOT DEFINED MUSTER_STATIC_FMT_WORKS)
    try_compile(MUSTER_STATIC_FMT_WORKS ${CMAKE_BINARY_DIR}/static_fmt
      SOURCES ${PROJECT_SOURCE_DIR}/cmake/static_fmt.cpp ${PROJECT_SOURCE_DIR}/cmake/static_fmt_check.cpp
      CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${headers}"
      CXX_STANDARD 20)
  endif()
  if(MUSTER_YAML_ARCHIVE AND MUSTER_PUGIXML_ARCHIVE AND MUSTER_STATIC_RUNTIME_WORKS AND MUSTER_STATIC_FMT_WORKS)
    set(${result} TRUE PARENT_SCOPE)
  endif()
endfunction()

# muster_replace(NAME TARGET LIBRARY): defines muster::NAME with the headers of TARGET and the code of LIBRARY.
function(muster_replace name target library)
  add_library(muster_${name} INTERFACE)
  add_library(muster::${name} ALIAS muster_${name})
  foreach(property INCLUDE_DIRECTORIES COMPILE_DEFINITIONS)
    get_target_property(value ${target} INTERFACE_${property})
    if(value)
      set_target_properties(muster_${name} PROPERTIES INTERFACE_${property} "${value}")
    endif()
  endforeach()
  target_link_libraries(muster_${name} INTERFACE ${library})
endfunction()

# yaml-cpp 0.8 renamed its target.
set(MUSTER_YAML_TARGET yaml-cpp)
if(TARGET yaml-cpp::yaml-cpp)
  set(MUSTER_YAML_TARGET yaml-cpp::yaml-cpp)
endif()

add_library(muster_runtime INTERFACE)
add_library(muster::runtime ALIAS muster_runtime)
muster_has_static_cxx(MUSTER_IS_STATIC)
message(STATUS "C++ libraries within the programs: ${MUSTER_IS_STATIC}")
if(MUSTER_IS_STATIC)
  target_link_options(muster_runtime INTERFACE -static-libstdc++ -static-libgcc)
  add_library(muster_static_fmt STATIC ${PROJECT_SOURCE_DIR}/cmake/static_fmt.cpp)
  muster_replace(fmt fmt::fmt muster_static_fmt)
  muster_replace(yaml ${MUSTER_YAML_TARGET} ${MUSTER_YAML_ARCHIVE})
  muster_replace(pugixml pugixml::pugixml ${MUSTER_PUGIXML_ARCHIVE})
  # Its soname differs between current Debian releases; libmuster contains it for the same reason.
  find_library(MUSTER_SODIUM_ARCHIVE libsodium.a)
  mark_as_advanced(MUSTER_SODIUM_ARCHIVE)
else()
  add_library(muster::fmt ALIAS fmt::fmt)
  add_library(muster::yaml ALIAS ${MUSTER_YAML_TARGET})
  add_library(muster::pugixml ALIAS pugixml::pugixml)
endif()

# hwloc's archive needs libudev, which has no static library: no_udev.c says that the machine has no udev, so hwloc
# reads files instead. It would ask udev only about disks.
set(MUSTER_HWLOC_IS_STATIC FALSE)
if(MUSTER_IS_STATIC)
  # Only the archive of the release whose headers are used.
  list(GET HWLOC_LINK_LIBRARIES 0 hwloc_library)
  if(IS_ABSOLUTE ${hwloc_library})
    cmake_path(GET hwloc_library PARENT_PATH hwloc_folder)
    find_library(MUSTER_HWLOC_ARCHIVE libhwloc.a PATHS ${hwloc_folder} NO_DEFAULT_PATH)
  endif()
  mark_as_advanced(MUSTER_HWLOC_ARCHIVE)
  if(MUSTER_HWLOC_ARCHIVE AND NOT DEFINED MUSTER_STATIC_HWLOC_WORKS)
    try_compile(MUSTER_STATIC_HWLOC_WORKS ${CMAKE_BINARY_DIR}/static_hwloc
      SOURCES ${PROJECT_SOURCE_DIR}/cmake/no_udev.c ${PROJECT_SOURCE_DIR}/cmake/static_hwloc_check.c
      CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${HWLOC_INCLUDE_DIRS}"
      LINK_LIBRARIES ${MUSTER_HWLOC_ARCHIVE} ${CMAKE_DL_LIBS} m)
  endif()
  if(MUSTER_STATIC_HWLOC_WORKS)
    set(MUSTER_HWLOC_IS_STATIC TRUE)
  endif()
endif()
if(MUSTER_HWLOC_IS_STATIC)
  add_library(muster_no_udev STATIC ${PROJECT_SOURCE_DIR}/cmake/no_udev.c)
  muster_replace(hwloc PkgConfig::HWLOC "${MUSTER_HWLOC_ARCHIVE};muster_no_udev;${CMAKE_DL_LIBS};m")
else()
  add_library(muster::hwloc ALIAS PkgConfig::HWLOC)
endif()
# For a program that a user copies to a machine where nothing is installed.
option(MUSTER_PORTABLE "the programs need no library except libc" OFF)
if(MUSTER_PORTABLE AND NOT (MUSTER_HWLOC_IS_STATIC AND MUSTER_SODIUM_ARCHIVE))
  message(FATAL_ERROR "MUSTER_PORTABLE needs yaml-cpp, pugixml, fmt, hwloc, libsodium and libstdc++ as static libraries")
endif()
if(MUSTER_IS_STATIC AND MUSTER_SODIUM_ARCHIVE)
  muster_replace(sodium PkgConfig::SODIUM ${MUSTER_SODIUM_ARCHIVE})
else()
  add_library(muster::sodium ALIAS PkgConfig::SODIUM)
endif()
