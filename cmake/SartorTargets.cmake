# Warnings are errors, for what we write.
add_library(sartor_warnings INTERFACE)
target_compile_options(sartor_warnings INTERFACE -Wall -Wextra -Wshadow -Wconversion
                       -Wno-sign-conversion -Wnon-virtual-dtor -Werror)
