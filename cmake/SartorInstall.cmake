# What `make install` puts where. The package can be moved as a whole: nothing in it names a path of
# the build.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Sartor)

set_target_properties(sartor_plugin PROPERTIES EXPORT_NAME Plugin)
file(RELATIVE_PATH lib_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(sartor_cli PROPERTIES INSTALL_RPATH $ORIGIN/${lib_from_bin})

install(TARGETS sartor sartor_bpf EXPORT SartorTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# Nobody links with them, so they have no names for the linker.
install(TARGETS sartor_compiler sartor_tls EXPORT SartorTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP)
install(TARGETS sartor_compiler_program RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS sartor_device ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS sartor_plugin EXPORT SartorTargets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/sartor)
# The command finds the loader's programs beside itself, they find passes in ../lib/sartor/passes,
# whatever the library's directory is called.
install(TARGETS sartor_cli sartor_cc sartor_server sartor_ld sartor_ld_plan RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/sartor-c++ DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(pass IN LISTS SARTOR_PASSES)
  install(TARGETS sartor_pass_${pass} LIBRARY DESTINATION ${CMAKE_INSTALL_BINDIR}/../lib/sartor/passes)
endforeach()
cmake_path(SET agents NORMALIZE ${CMAKE_INSTALL_FULL_BINDIR}/../lib/sartor/agents)
file(RELATIVE_PATH lib_from_agents ${agents} ${CMAKE_INSTALL_FULL_LIBDIR})
foreach(agent IN LISTS SARTOR_AGENTS)
  set_target_properties(sartor_agent_${agent} PROPERTIES INSTALL_RPATH $ORIGIN/${lib_from_agents})
  install(TARGETS sartor_agent_${agent} LIBRARY DESTINATION ${CMAKE_INSTALL_BINDIR}/../lib/sartor/agents)
endforeach()
configure_file(${PROJECT_SOURCE_DIR}/src/server/sartor-server.service.in ${PROJECT_BINARY_DIR}/sartor-server.service @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/sartor-server.service DESTINATION ${CMAKE_INSTALL_PREFIX}/lib/systemd/system)
install(FILES ${PROJECT_SOURCE_DIR}/src/server/sysusers.conf DESTINATION ${CMAKE_INSTALL_PREFIX}/lib/sysusers.d RENAME sartor.conf)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/sartor DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})

install(EXPORT SartorTargets NAMESPACE Sartor:: DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/plugin/SartorAddHandler.cmake ${PROJECT_SOURCE_DIR}/plugin/SartorAddBpfHandler.cmake
        DESTINATION ${package_dir})
install(PROGRAMS ${PROJECT_SOURCE_DIR}/plugin/sartor-clang.sh DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/plugin/sanitizers/tsan.txt
        DESTINATION ${CMAKE_INSTALL_DATADIR}/sartor/sanitizers)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/SartorConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/SartorConfig.cmake
                              INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_BINDIR)
# Builds that know nothing of CMake ask pkg-config.
file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" prefix_from_pc ${prefix_from_pc})
foreach(package IN ITEMS sartor sartor-bpf)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/SartorConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/SartorConfig.cmake
              ${PROJECT_BINARY_DIR}/SartorConfigVersion.cmake DESTINATION ${package_dir})
