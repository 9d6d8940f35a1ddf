# Run by cpack when the files of every component are staged, in a folder for each: adds copyright and changelog, packs
# manual pages, and takes the debugging symbols out of archives.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)

function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

foreach(component IN LISTS CPACK_COMPONENTS_ALL)
  set(root "${CPACK_TEMPORARY_DIRECTORY}/${component}${CPACK_PACKAGING_INSTALL_PREFIX}")
  string(TOUPPER "${component}" upper)
  set(doc "${root}/share/doc/${CPACK_DEBIAN_${upper}_PACKAGE_NAME}")
  configure_file("${CMAKE_CURRENT_LIST_DIR}/copyright" "${doc}/copyright" COPYONLY)
  configure_file("${CMAKE_CURRENT_LIST_DIR}/changelog.in" "${doc}/changelog.Debian" @ONLY)
  file(GLOB_RECURSE pages "${root}/share/man/*.[0-9]")
  run(gzip -9n "${doc}/changelog.Debian" ${pages})
  file(GLOB_RECURSE archives "${root}/*.a")
  if(archives)
    run(strip --strip-debug --enable-deterministic-archives ${archives})
  endif()
endforeach()
