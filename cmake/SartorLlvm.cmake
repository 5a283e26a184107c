# The programs of LLVM: by the names of distributions that have several versions, else by LLVM's own names.
find_program(SARTOR_LLVM_CONFIG NAMES llvm-config-${SARTOR_LLVM_VERSION} llvm-config REQUIRED)
foreach(what version includedir libdir bindir)
  execute_process(COMMAND ${SARTOR_LLVM_CONFIG} --${what} OUTPUT_VARIABLE SARTOR_LLVM_${what}
                  OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
endforeach()
if(NOT SARTOR_LLVM_version MATCHES "^${SARTOR_LLVM_VERSION}[.]")
  message(FATAL_ERROR "${SARTOR_LLVM_CONFIG} is of LLVM ${SARTOR_LLVM_version}; set SARTOR_LLVM_CONFIG to that of LLVM ${SARTOR_LLVM_VERSION}")
endif()
foreach(program IN ITEMS CLANG:clang CLANGXX:clang++ LLD:ld.lld)
  string(REGEX MATCH "(.+):(.+)" matched ${program})
  find_program(SARTOR_${CMAKE_MATCH_1} ${CMAKE_MATCH_2}-${SARTOR_LLVM_VERSION})
  find_program(SARTOR_${CMAKE_MATCH_1} ${CMAKE_MATCH_2} PATHS ${SARTOR_LLVM_bindir} NO_DEFAULT_PATH REQUIRED)
endforeach()
