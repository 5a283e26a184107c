# sartor_embed_kernel_code(target name [option...]): compiles src/bpf/name.bpf.c for the kernel with
# clang and embeds the result into a target, as bytes from sartor_<name>_code to
# sartor_<name>_code_end. Bitcode has the name of its source as the compiler was given it, so that name is relative:
# the result does not depend on the directory.
function(sartor_embed_kernel_code target name)
  set(source src/bpf/${name}.bpf.c)
  set(code ${CMAKE_CURRENT_BINARY_DIR}/${name}.bpf.o)
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/bpf/*.h)
  add_custom_command(OUTPUT ${code}
                     COMMAND ${SARTOR_CLANG} -target bpf -D__TARGET_ARCH_x86 -O2 -g ${ARGN} -Isrc
                             -idirafter /usr/include/${CMAKE_LIBRARY_ARCHITECTURE}
                             -ffile-prefix-map=${PROJECT_SOURCE_DIR}= -c ${source} -o ${code}
                     WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} DEPENDS ${PROJECT_SOURCE_DIR}/${source} ${headers} VERBATIM)
  file(CONFIGURE OUTPUT ${code}.S @ONLY CONTENT [[
        .section .rodata
        .balign 16
        .globl sartor_@name@_code, sartor_@name@_code_end
        .hidden sartor_@name@_code, sartor_@name@_code_end
sartor_@name@_code:
        .incbin "@code@"
sartor_@name@_code_end:
        .section .note.GNU-stack,"",@progbits
]])
  set_source_files_properties(${code}.S TARGET_DIRECTORY ${target} PROPERTIES OBJECT_DEPENDS ${code})
  target_sources(${target} PRIVATE ${code}.S)
  add_custom_target(sartor_kernel_code_${name} DEPENDS ${code})
  add_dependencies(${target} sartor_kernel_code_${name})
endfunction()
