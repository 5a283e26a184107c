# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

# study_programs(STUDY SOURCE PROGRAM [KINDS kind...] [OURS file...] [DEPENDS file...]): a program of others, built
# by STUDY's build.sh from SOURCE in each of several ways. `sartor` is the way with Sartor, of which OURS is a part. The
# target study_STUDY_programs builds them as KIND/PROGRAM.
function(study_programs study source program)
  cmake_parse_arguments(PARSE_ARGV 3 arg "" "" "KINDS;OURS;DEPENDS")
  set(of_sartor ${arg_OURS} $<TARGET_FILE:Sartor::Plugin>)
  foreach(kind IN LISTS arg_KINDS)
    set(directory ${CMAKE_CURRENT_BINARY_DIR}/${kind})
    add_custom_command(OUTPUT ${directory}/${program}
                       COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/build.sh ${source} ${directory} ${kind}
                               ${SARTOR_CC} $<TARGET_FILE_DIR:Sartor::Sartor> ${SARTOR_INCLUDE_DIR}
                       DEPENDS build.sh ${arg_DEPENDS} ${of_${kind}} VERBATIM)
    list(APPEND programs ${directory}/${program})
  endforeach()
  add_custom_target(study_${study}_programs ALL DEPENDS ${programs})
endfunction()

# study_measures(STUDY [SOURCES file...] [DEFINITIONS name=value...] [LIBS target...] [DEPENDS target...]): what STUDY
# measures, as a library that its bench and its plot share.
function(study_measures study)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;DEFINITIONS;LIBS;DEPENDS")
  string(TOUPPER ${study} upper)
  add_library(${study}_measure STATIC measure.cpp ${arg_SOURCES})
  target_compile_definitions(${study}_measure PRIVATE STUDY_${upper}_SOURCE="${CMAKE_CURRENT_SOURCE_DIR}"
                                                      ${arg_DEFINITIONS})
  target_include_directories(${study}_measure PUBLIC ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(${study}_measure PUBLIC bench_harness PRIVATE studies_support sartor_warnings ${arg_LIBS})
  if(arg_DEPENDS)
    add_dependencies(${study}_measure ${arg_DEPENDS})
  endif()
  add_executable(${study}_study study_main.cpp)
  target_link_libraries(${study}_study PRIVATE ${study}_measure sartor_warnings)
  add_custom_target(study_${study} DEPENDS ${study}_study)
  add_bench(${study})
  target_link_libraries(bench_${study} PRIVATE ${study}_measure)
endfunction()
