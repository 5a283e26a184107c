# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   sartor_add_bpf_handler(target SOURCES file.bpf.c...)
#
# Compiles C files with handlers for the Linux kernel, each to a separate BPF object, and embeds the objects in `target`
# (an executable or a library), which is linked to Sartor::Bpf. In the program, SARTOR_BPF_OBJECT(file) from
# <sartor/bpf/object.h> refers to the bytes of file.bpf.c's object. The object is also in the target's binary directory,
# as file.bpf.o, for use with `bpftool gen skeleton`. The files are compiled with the target's include directories and
# definitions.

function(sartor_add_bpf_handler target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "sartor_add_bpf_handler(${target}): write sartor_add_bpf_handler(target SOURCES file.bpf.c...)")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "sartor_add_bpf_handler: there is no target \"${target}\"; call add_executable() or "
                        "add_library() first")
  endif()
  sartor_find_clang_("sartor_add_bpf_handler(${target})")
  if(TARGET sartor_plugin) # within Sartor's own build
    set(plugin sartor_plugin)
  else()
    set(plugin Sartor::Plugin)
  endif()
  set(headers $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>
              $<TARGET_PROPERTY:Sartor::Sartor,INTERFACE_INCLUDE_DIRECTORIES>)
  set(definitions $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  set(objects)
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(path ${source} ABSOLUTE)
    get_filename_component(name ${source} NAME_WE)
    if(NOT source MATCHES "\\.bpf\\.c$" OR NOT EXISTS ${path})
      message(FATAL_ERROR "sartor_add_bpf_handler(${target}): \"${source}\" does not exist, or is not called "
                          "<name>.bpf.c")
    endif()
    string(MAKE_C_IDENTIFIER ${name} identifier)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.bpf.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${SARTOR_CLANG} -target bpf -mcpu=v3 -O2 -g -DSARTOR_POINTS=1
              "$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},;-D>>" "-I$<JOIN:$<REMOVE_DUPLICATES:${headers}>,;-I>"
              -idirafter /usr/include/${CMAKE_LIBRARY_ARCHITECTURE} -fpass-plugin=$<TARGET_FILE:${plugin}>
              -MD -MF ${object}.d -MT ${object} -c ${path} -o ${object}
      DEPENDS ${path} ${plugin} DEPFILE ${object}.d COMMAND_EXPAND_LISTS VERBATIM)
    set(begin sartor_bpf_object_${identifier})
    file(CONFIGURE OUTPUT ${object}.S @ONLY CONTENT [[
        .section .rodata
        .balign 16
        .globl @begin@, @begin@_end
        .hidden @begin@, @begin@_end
@begin@:
        .incbin "@object@"
@begin@_end:
        .section .note.GNU-stack,"",@progbits
]])
    # A custom command, because the project may not have enabled the languages C and ASM.
    add_custom_command(OUTPUT ${object}.o COMMAND ${SARTOR_CLANG} -c ${object}.S -o ${object}.o
                       DEPENDS ${object} ${object}.S VERBATIM)
    set_source_files_properties(${object}.o PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
    target_sources(${target} PRIVATE ${object}.o)
    list(APPEND objects ${object})
  endforeach()
  string(MAKE_C_IDENTIFIER "${objects}" which)
  string(SHA256 which ${which})
  string(SUBSTRING ${which} 0 12 which)
  add_custom_target(${target}_bpf_${which} DEPENDS ${objects})
  add_dependencies(${target} ${target}_bpf_${which})
  # A program that makes vmlinux.h, for example.
  sartor_defer_(${target} sartor_wait_for_generated_files_ ${target} ${target}_bpf_${which})
  target_link_libraries(${target} PRIVATE Sartor::Bpf)
endfunction()
