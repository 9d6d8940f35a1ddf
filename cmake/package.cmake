# Debian packages, one for each component: `cmake --workflow --preset deb` leaves them in build/deb. What Debian wants in
# every package beside a component's files is added by deb/stage.cmake.
set(here "${PROJECT_SOURCE_DIR}/cmake/deb")
set(made "${PROJECT_BINARY_DIR}/cmake/deb")

# Programs that were linked with this release need it or a later one.
set(DTCORE_DEB_LIB "libdtcore${DTCORE_ABI}")
set(lib "${DTCORE_DEB_LIB} (>= ${PROJECT_VERSION})")
file(WRITE "${made}/shlibs" "libdtcore ${DTCORE_ABI} ${lib}\n")
file(WRITE "${made}/triggers" "activate-noawait ldconfig\n")

# dtcore_deb(COMPONENT PACKAGE SECTION WHAT [DEPENDS ...] [RECOMMENDS ...] [SUGGESTS ...] [CONTROL_EXTRA FILE ...])
macro(dtcore_deb component package section what)
  cmake_parse_arguments(arg "" "" "DEPENDS;RECOMMENDS;SUGGESTS;CONTROL_EXTRA" ${ARGN})
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${upper}_PACKAGE_SECTION ${section})
  set(CPACK_DEBIAN_${upper}_DESCRIPTION "split of a large model's training over GPUs: ${what}
dtcore answers, as pure functions, how to split the training of a large model
over GPUs: what each GPU must hold, on how many GPUs it fits, which plans are
legal or best, how long a step takes, which rank does what.")
  foreach(field IN ITEMS DEPENDS RECOMMENDS SUGGESTS)
    list(JOIN arg_${field} ", " value)
    set(CPACK_DEBIAN_${upper}_PACKAGE_${field} "${value}")
  endforeach()
  set(CPACK_DEBIAN_${upper}_PACKAGE_CONTROL_EXTRA ${arg_CONTROL_EXTRA})
endmacro()

set(CPACK_COMPONENTS_ALL "")
dtcore_deb(lib ${DTCORE_DEB_LIB} libs "library" CONTROL_EXTRA "${made}/shlibs" "${made}/triggers")
dtcore_deb(dev libdtcore-dev libdevel "headers and archive" DEPENDS "${DTCORE_DEB_LIB} (= ${PROJECT_VERSION}-1)")
if(DTCORE_CLI)
  dtcore_deb(cli dtcore science "program" DEPENDS "${lib}")
endif()
if(DTCORE_PYTHON)
  dtcore_deb(python python3-dtcore python "Python" DEPENDS "${lib}" "python3 (>= 3.11)" RECOMMENDS python3-numpy
    CONTROL_EXTRA "${here}/postinst" "${here}/prerm")
endif()
if(DTCORE_LUA)
  list(TRANSFORM DTCORE_LUA_VERSIONS PREPEND lua OUTPUT_VARIABLE luas)
  list(JOIN luas " | " luas)
  dtcore_deb(lua lua-dtcore interpreters "Lua" DEPENDS "${lib}" SUGGESTS "${luas}")
endif()
if(TARGET spank_dtcore)
  # Slurm loads plugins that were built for its own feature release alone.
  file(STRINGS "${DTCORE_SLURM_INCLUDE}/slurm/slurm_version.h" line REGEX "define SLURM_VERSION_NUMBER +0x")
  string(REGEX MATCH "0x([0-9a-f]+)([0-9a-f][0-9a-f])[0-9a-f][0-9a-f]$" line "${line}")
  math(EXPR major "0x${CMAKE_MATCH_1}")
  math(EXPR minor "0x${CMAKE_MATCH_2}")
  math(EXPR next "${minor} + 1")
  foreach(number IN ITEMS minor next)
    if(${number} LESS 10)
      set(${number} "0${${number}}")
    endif()
  endforeach()
  dtcore_deb(slurm slurm-wlm-dtcore-plugin admin "Slurm" RECOMMENDS dtcore
    DEPENDS lua-dtcore python3 "slurm-wlm-basic-plugins (>= ${major}.${minor})" "slurm-wlm-basic-plugins (<< ${major}.${next})")
endif()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME dtcore)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "") # each has its own
set(CPACK_PACKAGE_VENDOR "dtcore developers")
set(CPACK_PACKAGE_CONTACT "dtcore developers <developers@dtcore.invalid>")
set(CPACK_PACKAGING_INSTALL_PREFIX "${CMAKE_INSTALL_PREFIX}")
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_PRE_BUILD_SCRIPTS "${here}/stage.cmake")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${PROJECT_BINARY_DIR}")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
