# The environment of all tests, read by ctest. Comparing variants with the native code would hide what variants return
# from the tests that call them; those of the comparison unset the variable. What is set already stays.
if(NOT DEFINED ENV{SARTOR_VERIFY})
  set(ENV{SARTOR_VERIFY} off)
endif()
if(NOT DEFINED ENV{SARTOR_STATE_DIR})
  set(ENV{SARTOR_STATE_DIR} ${CMAKE_CURRENT_LIST_DIR}/../build/state)
endif()
