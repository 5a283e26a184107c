# Warnings are errors in the project's own code, unless CMAKE_COMPILE_WARNING_AS_ERROR is off, as in packages: another
# compiler has other warnings.
if(NOT DEFINED CMAKE_COMPILE_WARNING_AS_ERROR OR CMAKE_COMPILE_WARNING_AS_ERROR)
  set(warnings_are_errors -Werror)
endif()
add_library(sartor_warnings INTERFACE)
target_compile_options(sartor_warnings INTERFACE -Wall -Wextra -Wconversion
                       -Wno-sign-conversion -Wnon-virtual-dtor ${warnings_are_errors})
# A local variable of a source may have the name of another source's function; clang-tidy looks at each source alone.
target_compile_options(sartor_warnings INTERFACE $<$<NOT:$<BOOL:$<TARGET_PROPERTY:UNITY_BUILD>>>:-Wshadow>)
