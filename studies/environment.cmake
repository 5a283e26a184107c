# The environment of the studies' tests, read by ctest: variants are compared with the native code, as by default, and a
# difference ends the test instead of giving the native code's result. What is set already stays.
if(NOT DEFINED ENV{SARTOR_ABORT_ON_DIFFERENCE})
  set(ENV{SARTOR_ABORT_ON_DIFFERENCE} on)
endif()
if(NOT DEFINED ENV{SARTOR_STATE_DIR})
  set(ENV{SARTOR_STATE_DIR} ${CMAKE_CURRENT_LIST_DIR}/../build/state)
endif()
