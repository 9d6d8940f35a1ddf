# Headers, both libraries, the CMake package, dtcore.pc, what goes with the program, and where the rest lies. The
# installed tree may be moved as a whole.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Places below the prefix. Debian's packages, which alone write into /usr, have some of their own; a wheel, which
# scikit-build-core makes, has others.
set(python "lib/python3/dist-packages")
set(lua "lib/lua") # Lua looks in /usr/local/lib/lua/<version>
set(slurm "${CMAKE_INSTALL_LIBDIR}/slurm")
set(zsh "${CMAKE_INSTALL_DATADIR}/zsh/site-functions")
if(CMAKE_INSTALL_PREFIX STREQUAL "/usr" AND EXISTS "/etc/debian_version")
  set(lua "${CMAKE_INSTALL_LIBDIR}/lua")
  set(slurm "${CMAKE_INSTALL_LIBDIR}/slurm-wlm")
  set(zsh "${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions")
elseif(SKBUILD)
  set(python ".")
  set(CMAKE_INSTALL_BINDIR "${SKBUILD_SCRIPTS_DIR}")
endif()
set(DTCORE_PYTHON_DIR "${python}" CACHE STRING "Where the Python package is installed")
set(DTCORE_LUA_DIR "${lua}" CACHE STRING "Where the Lua modules are installed, in a folder per version")
set(DTCORE_SLURM_PLUGIN_DIR "${slurm}" CACHE STRING "Where the SPANK plugin is installed")
set(DTCORE_ZSH_DIR "${zsh}" CACHE STRING "Where the completions of zsh are installed")

set(DTCORE_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/dtcore")

install(TARGETS dtcore EXPORT dtcore-targets
  LIBRARY COMPONENT lib NAMELINK_COMPONENT dev
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(TARGETS dtcore_static EXPORT dtcore-targets
  ARCHIVE COMPONENT dev
  INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(DIRECTORY include/ DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}" COMPONENT dev FILES_MATCHING PATTERN "*.h")

install(EXPORT dtcore-targets NAMESPACE dtcore:: DESTINATION "${DTCORE_CMAKE_DIR}" COMPONENT dev)
configure_package_config_file(cmake/dtcore-config.cmake.in dtcore-config.cmake
  INSTALL_DESTINATION "${DTCORE_CMAKE_DIR}" NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file("${PROJECT_BINARY_DIR}/dtcore-config-version.cmake" COMPATIBILITY SameMajorVersion)
install(FILES "${PROJECT_BINARY_DIR}/dtcore-config.cmake" "${PROJECT_BINARY_DIR}/dtcore-config-version.cmake"
  DESTINATION "${DTCORE_CMAKE_DIR}" COMPONENT dev)

install(DIRECTORY doc/man/ DESTINATION "${CMAKE_INSTALL_MANDIR}/man3" COMPONENT dev FILES_MATCHING PATTERN "*.3")

# The prefix is said relative to the .pc file, because `cmake --install --prefix` does not rewrite it.
file(RELATIVE_PATH DTCORE_PC_UP "${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig" "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" DTCORE_PC_UP "${DTCORE_PC_UP}")
configure_file(dtcore.pc.in dtcore.pc @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/dtcore.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig" COMPONENT dev)

# What goes with the program, where the shells of a distribution look; cli/CMakeLists.txt installs the program itself.
if(DTCORE_CLI AND NOT SKBUILD)
  install(DIRECTORY doc/man/ COMPONENT cli DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" FILES_MATCHING PATTERN "*.1")
  install(DIRECTORY doc/man/ COMPONENT cli DESTINATION "${CMAKE_INSTALL_MANDIR}/man5" FILES_MATCHING PATTERN "*.5")
  install(FILES cli/completion/dtcore.bash RENAME dtcore COMPONENT cli
    DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
  install(FILES cli/completion/_dtcore COMPONENT cli DESTINATION "${DTCORE_ZSH_DIR}")
  install(FILES cli/completion/dtcore.fish COMPONENT cli DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
endif()
