# Prepares the files before they are packed: Debian requires compressed man pages and changelogs, and no file may be
# newer than the source.
cmake_policy(SET CMP0009 NEW)
if(CPACK_GENERATOR STREQUAL "DEB")
  file(GLOB_RECURSE _files ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/*)
  foreach(_file IN LISTS _files)
    if(_file MATCHES "/share/doc/[^/]+/CHANGELOG.md$")
      string(REPLACE CHANGELOG.md changelog _new "${_file}")
      file(RENAME "${_file}" "${_new}")
      set(_file "${_new}")
    elseif(NOT _file MATCHES "/share/man/man.*[1-8]$")
      continue()
    endif()
    execute_process(COMMAND gzip --best --no-name "${_file}" COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endif()
if(DEFINED ENV{SOURCE_DATE_EPOCH})
  execute_process(COMMAND find ${CPACK_TEMPORARY_INSTALL_DIRECTORY} -exec touch --no-dereference
                          --date=@$ENV{SOURCE_DATE_EPOCH} {} +
                  COMMAND_ERROR_IS_FATAL ANY)
endif()
