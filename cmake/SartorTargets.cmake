# Warnings are errors in the project's own code, unless CMAKE_COMPILE_WARNING_AS_ERROR is off, as in packages: another
# compiler has other warnings.
if(NOT DEFINED CMAKE_COMPILE_WARNING_AS_ERROR OR CMAKE_COMPILE_WARNING_AS_ERROR)
  set(warnings_are_errors -Werror)
endif()
add_library(sartor_warnings INTERFACE)
target_compile_options(sartor_warnings INTERFACE -Wall -Wextra -Wshadow -Wconversion
                       -Wno-sign-conversion -Wnon-virtual-dtor ${warnings_are_errors})
