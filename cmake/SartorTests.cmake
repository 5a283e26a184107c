# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests with GoogleTest, for the library and for the studies.
include(GoogleTest)

cmake_path(SET SARTOR_SANITIZER_LISTS NORMALIZE ${CMAKE_CURRENT_LIST_DIR}/../test/sanitizers)
set(SARTOR_TSAN TSAN_OPTIONS=suppressions=${SARTOR_SANITIZER_LISTS}/tsan_suppressions.txt)

# ctest lists the tests of a program when it runs them, so that the build does not run programs.
function(sartor_discover_tests name)
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 300 TEST_PREFIX "${name}." PROPERTIES ENVIRONMENT
    ${SARTOR_TSAN})
endfunction()

# sartor_precompile_gtest(name): precompiles gtest's headers where a test has enough sources to be worth it.
function(sartor_precompile_gtest name)
  get_target_property(sources ${name} SOURCES)
  list(LENGTH sources count)
  if(count GREATER 3)
    set(headers filesystem functional map memory sstream string vector gmock/gmock.h)
    list(TRANSFORM headers PREPEND "<")
    list(TRANSFORM headers APPEND "$<ANGLE-R>")
    # Some tests have handlers in C, which the headers are not for.
    target_precompile_headers(${name} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:${headers}>")
    # ccache identifies a precompiled header by its content.
    target_compile_options(${name} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

# sartor_test_program(name SOURCES file... [LIBS target...]): one executable with tests.
function(sartor_test_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBS")
  add_executable(${name} ${arg_SOURCES})
  target_link_libraries(${name} PRIVATE ${arg_LIBS} sartor_warnings GTest::gmock_main)
  sartor_precompile_gtest(${name})
  sartor_discover_tests(${name})
endfunction()

# Leaves the handlers of this folder and those below unchecked under the undefined-behaviour sanitizer. Its checks are
# calls, so that handlers would be specialized to other code than the tests expect.
function(sartor_leave_handlers_unchecked)
  if(CMAKE_CXX_FLAGS MATCHES "-fsanitize=[a-z,]*undefined")
    sartor_leave_handlers_unchecked_in_(${CMAKE_CURRENT_SOURCE_DIR})
  endif()
endfunction()

function(sartor_leave_handlers_unchecked_in_ folder)
  get_property(targets DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  foreach(target IN LISTS targets)
    if(target MATCHES "_sartor_handlers$")
      target_compile_options(${target} PRIVATE -fno-sanitize=undefined)
    endif()
  endforeach()
  get_property(folders DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(each IN LISTS folders)
    sartor_leave_handlers_unchecked_in_(${each})
  endforeach()
endfunction()
