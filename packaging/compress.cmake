# Debian wants man pages and changes compressed; without a time stamp, so that equal builds give equal packages.
if(CPACK_GENERATOR STREQUAL "DEB")
  file(GLOB_RECURSE _files
    ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*/share/man/*.[1-8]
    ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*/doc/*/CHANGELOG.md)
  foreach(_file IN LISTS _files)
    if(_file MATCHES "CHANGELOG.md$")
      string(REPLACE CHANGELOG.md changelog _new "${_file}")
      file(RENAME "${_file}" "${_new}")
      set(_file "${_new}")
    endif()
    execute_process(COMMAND gzip --best --no-name "${_file}" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endif()
