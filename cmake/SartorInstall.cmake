# The rules of `make install`. The installed package is relocatable: it contains no path of the
# build.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Sartor)

# `cmake --build BUILD --target installed` builds exactly the installed targets.
add_custom_target(installed)

# sartor_install(targets... [BY how...]): calls install(TARGETS) with these arguments, and adds the
# targets to `installed`.
function(sartor_install)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "" "BY")
  install(TARGETS ${arg_UNPARSED_ARGUMENTS} ${arg_BY})
  add_dependencies(installed ${arg_UNPARSED_ARGUMENTS})
  set_property(TARGET installed APPEND PROPERTY SARTOR_INSTALLED ${arg_UNPARSED_ARGUMENTS})
endfunction()

set_target_properties(sartor_plugin PROPERTIES EXPORT_NAME Plugin)
file(RELATIVE_PATH lib_from_bin ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(sartor_cli sartor_server PROPERTIES INSTALL_RPATH $ORIGIN/${lib_from_bin})

sartor_install(sartor sartor_bpf BY EXPORT SartorTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# No NAMELINK, since programs do not link with them.
sartor_install(sartor_compiler sartor_tls sartor_redis BY EXPORT SartorTargets
               LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP)
sartor_install(sartor_compiler_program BY RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR})
sartor_install(sartor_device BY ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
sartor_install(sartor_plugin BY EXPORT SartorTargets
               LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/sartor)
# The command finds the loader's programs in its own folder; they find passes in
# ../lib/sartor/passes, whatever the library directory is called.
sartor_install(sartor_cli sartor_cc sartor_server sartor_ld sartor_ld_plan BY RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(FILES ${CMAKE_RUNTIME_OUTPUT_DIRECTORY}/sartor-c++ DESTINATION ${CMAKE_INSTALL_BINDIR})
foreach(pass IN LISTS SARTOR_PASSES)
  sartor_install(sartor_pass_${pass} BY LIBRARY DESTINATION ${CMAKE_INSTALL_BINDIR}/../lib/sartor/passes)
endforeach()
cmake_path(SET agents NORMALIZE ${CMAKE_INSTALL_FULL_BINDIR}/../lib/sartor/agents)
file(RELATIVE_PATH lib_from_agents ${agents} ${CMAKE_INSTALL_FULL_LIBDIR})
foreach(agent IN LISTS SARTOR_AGENTS)
  set_target_properties(sartor_agent_${agent} PROPERTIES INSTALL_RPATH $ORIGIN/${lib_from_agents})
  sartor_install(sartor_agent_${agent} BY LIBRARY DESTINATION ${CMAKE_INSTALL_BINDIR}/../lib/sartor/agents)
endforeach()
if(TARGET sartor_page)
  add_dependencies(installed sartor_page)
  # OPTIONAL: npm may have had no network.
  install(FILES ${PROJECT_BINARY_DIR}/share/sartor/page.html DESTINATION ${CMAKE_INSTALL_DATADIR}/sartor OPTIONAL)
endif()
set(unit ${PROJECT_SOURCE_DIR}/src/remote/server/sartor-server.service.in)
configure_file(${unit} ${PROJECT_BINARY_DIR}/sartor-server.service @ONLY)
# The unit names the program by its path, which `cmake --install --prefix` decides. A file for each prefix, because
# installations with different ones may run at the same time.
install(CODE "
set(CMAKE_INSTALL_FULL_BINDIR \"${CMAKE_INSTALL_BINDIR}\")
set(CMAKE_INSTALL_FULL_DOCDIR \"${CMAKE_INSTALL_DOCDIR}\")
foreach(path IN ITEMS CMAKE_INSTALL_FULL_BINDIR CMAKE_INSTALL_FULL_DOCDIR)
  cmake_path(ABSOLUTE_PATH \${path} BASE_DIRECTORY \"\${CMAKE_INSTALL_PREFIX}\")
endforeach()
string(SHA256 prefix \"\${CMAKE_INSTALL_PREFIX}\")
set(unit \"${PROJECT_BINARY_DIR}/units/\${prefix}/sartor-server.service\")
configure_file(\"${unit}\" \"\${unit}\" @ONLY)
file(INSTALL DESTINATION \"\${CMAKE_INSTALL_PREFIX}/lib/systemd/system\" TYPE FILE FILES \"\${unit}\")")
install(FILES ${PROJECT_SOURCE_DIR}/src/remote/server/sysusers.conf DESTINATION lib/sysusers.d RENAME sartor.conf)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/sartor DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})

# The crates, without their tests.
file(READ ${PROJECT_SOURCE_DIR}/bindings/rust/Cargo.toml workspace)
string(REGEX REPLACE "members = [^\n]*\ndefault-members = " "members = " workspace "${workspace}")
file(WRITE ${PROJECT_BINARY_DIR}/crates/Cargo.toml "${workspace}")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bindings/rust/Cargo.toml)
install(FILES ${PROJECT_BINARY_DIR}/crates/Cargo.toml DESTINATION ${CMAKE_INSTALL_DATADIR}/sartor/rust)
foreach(crate IN ITEMS sartor sartor-build sartor-macros)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/bindings/rust/${crate} DESTINATION ${CMAKE_INSTALL_DATADIR}/sartor/rust)
endforeach()

# Manual pages and completions, from the output of --help.
find_package(Python3 3.9 REQUIRED COMPONENTS Interpreter)
set(manual ${PROJECT_BINARY_DIR}/manual)
add_custom_command(OUTPUT ${manual}/made
                   COMMAND ${CMAKE_COMMAND} -E rm -rf ${manual}
                   COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/manual.py ${CMAKE_RUNTIME_OUTPUT_DIRECTORY} ${manual}
                   COMMAND ${CMAKE_COMMAND} -E touch ${manual}/made
                   DEPENDS ${PROJECT_SOURCE_DIR}/scripts/manual.py sartor_cli sartor_cc sartor_server sartor_ld VERBATIM)
add_custom_target(sartor_manual ALL DEPENDS ${manual}/made)
add_dependencies(installed sartor_manual)
install(DIRECTORY ${manual}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR})
install(DIRECTORY ${manual}/completions/bash/ DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(DIRECTORY ${manual}/completions/zsh/ DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(DIRECTORY ${manual}/completions/fish/ DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# The software bill of materials. What objects include is recorded by Ninja only.
if(CMAKE_GENERATOR MATCHES Ninja)
  get_target_property(installed_targets installed SARTOR_INSTALLED)
  list(TRANSFORM installed_targets REPLACE "(.+)" "$<TARGET_FILE:\\1>" OUTPUT_VARIABLE installed_files)
  set(bill ${PROJECT_BINARY_DIR}/sartor.cdx.json)
  add_custom_command(OUTPUT ${bill}
                     COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/scripts/sbom.py ${PROJECT_BINARY_DIR} ${PROJECT_VERSION} ${bill}
                             ${installed_files}
                     DEPENDS ${PROJECT_SOURCE_DIR}/scripts/sbom.py ${PROJECT_SOURCE_DIR}/src/tools/view/page/package-lock.json ${installed_targets} VERBATIM)
  add_custom_target(sartor_bill ALL DEPENDS ${bill})
  add_dependencies(installed sartor_bill)
  install(FILES ${bill} DESTINATION ${CMAKE_INSTALL_DOCDIR})
endif()

install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
        DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/docs)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DOCDIR} PATTERN .gitignore EXCLUDE)

install(EXPORT SartorTargets NAMESPACE Sartor:: DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/src/compiler/plugin/SartorAddHandler.cmake ${PROJECT_SOURCE_DIR}/src/compiler/plugin/SartorAddBpfHandler.cmake
        DESTINATION ${package_dir})
install(PROGRAMS ${PROJECT_SOURCE_DIR}/src/compiler/plugin/sartor-clang.sh DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/src/compiler/plugin/sanitizers/tsan.txt
        DESTINATION ${CMAKE_INSTALL_DATADIR}/sartor/sanitizers)

# To watch running programs.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/packaging/bpftrace ${PROJECT_SOURCE_DIR}/packaging/grafana
        DESTINATION ${CMAKE_INSTALL_DATADIR}/sartor)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/SartorConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/SartorConfig.cmake
                              INSTALL_DESTINATION ${package_dir} PATH_VARS CMAKE_INSTALL_BINDIR CMAKE_INSTALL_INCLUDEDIR
                              CMAKE_INSTALL_LIBDIR)
# For builds without CMake: pkg-config.
file(RELATIVE_PATH prefix_from_pc ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
string(REGEX REPLACE "/$" "" prefix_from_pc ${prefix_from_pc})
# The directories may be given as absolute paths.
file(RELATIVE_PATH libraries_from_prefix ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH headers_from_prefix ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
foreach(package IN ITEMS sartor sartor-bpf)
  configure_file(${PROJECT_SOURCE_DIR}/cmake/${package}.pc.in ${PROJECT_BINARY_DIR}/${package}.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/${package}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endforeach()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/SartorConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/SartorConfig.cmake
              ${PROJECT_BINARY_DIR}/SartorConfigVersion.cmake DESTINATION ${package_dir})
