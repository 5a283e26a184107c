# Warnings are errors in the project's own code.
add_library(sartor_warnings INTERFACE)
target_compile_options(sartor_warnings INTERFACE -Wall -Wextra -Wshadow -Wconversion
                       -Wno-sign-conversion -Wnon-virtual-dtor -Werror)
