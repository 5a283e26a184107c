# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
#   sartor_add_handler(target SOURCES file... [DECLARATIONS file...]
#                      [CONFIGURATIONS file...] [CPUS processor...] [NO_LINES])
#
# Compiles C and C++ files with handlers in them, and links them into `target` (an executable or a
# library). Each object contains the ordinary native code and, in separate sections, the bitcode that
# the runtime specializes. The files are compiled by clang, whatever compiler the program uses, with
# the target's own options, definitions, include directories, libraries and language standard. The
# target is linked to Sartor::Sartor. The files must not be among the target's own sources.
# The function may be called several times for one target.
#
# DECLARATIONS are files that replace annotations in the source (docs/guides/declarations.md), for all files
# of the target that are compiled with the plugin. A declaration whose subject is in none of them is an error.
#
# CONFIGURATIONS are files of configurations, or of an explorer's best-known configurations. Their variants
# are compiled when the target is linked, and stored in its file, for each processor in CPUS: native, or a
# level such as x86-64-v3 (default: native). See `sartor compile`.
#
# Variants have the source lines of their handlers (docs/guides/debugging.md). NO_LINES leaves them out of
# the bitcode, for all handlers of the target.

function(sartor_add_handler target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "NO_LINES" "" "SOURCES;DECLARATIONS;CONFIGURATIONS;CPUS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "sartor_add_handler(${target}): \"${arg_UNPARSED_ARGUMENTS}\" is not "
                        "understood; write sartor_add_handler(target SOURCES file...)")
  endif()
  sartor_find_target_(sartor_add_handler "EXECUTABLE;STATIC_LIBRARY;SHARED_LIBRARY;MODULE_LIBRARY")
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "sartor_add_handler(${target}): no SOURCES given")
  endif()
  sartor_find_clang_("sartor_add_handler(${target})")

  set(objects ${target}_sartor_handlers)
  if(NOT TARGET ${objects})
    sartor_add_handler_objects_(${target} ${objects})
  endif()
  if(arg_NO_LINES)
    target_compile_options(${objects} PRIVATE $<$<COMPILE_LANGUAGE:C,CXX>:-fplugin-arg-sartor-lines=none>)
  endif()

  get_property(languages GLOBAL PROPERTY ENABLED_LANGUAGES)
  foreach(source IN LISTS arg_SOURCES)
    get_filename_component(path ${source} ABSOLUTE)
    get_source_file_property(generated ${path} GENERATED)
    if(NOT generated AND NOT EXISTS ${path})
      message(FATAL_ERROR "sartor_add_handler(${target}): \"${source}\" does not exist")
    endif()
    get_filename_component(extension ${path} LAST_EXT)
    if(extension STREQUAL ".c")
      set(language C)
    elseif(extension MATCHES "^\\.(cc|cpp|cxx|c\\+\\+|C)$")
      set(language CXX)
    else()
      message(FATAL_ERROR "sartor_add_handler(${target}): \"${source}\" is neither C nor C++")
    endif()
    if(NOT language IN_LIST languages)
      message(FATAL_ERROR "sartor_add_handler(${target}): \"${source}\" needs the language "
                          "${language}; add it to project(... LANGUAGES ...)")
    endif()
    target_sources(${objects} PRIVATE ${path})
  endforeach()
  sartor_declare_("sartor_add_handler(${target})" ${target} ${objects} "${arg_DECLARATIONS}")
  if(arg_CPUS AND NOT arg_CONFIGURATIONS)
    message(FATAL_ERROR "sartor_add_handler(${target}): CPUS are given, and no CONFIGURATIONS that "
                        "are to be made for them")
  endif()
  if(arg_CONFIGURATIONS)
    sartor_compile_ahead_of_time_(${target} "${arg_CONFIGURATIONS}" "${arg_CPUS}")
  endif()
endfunction()

#   sartor_watch(target [DECLARATIONS file...])
#
# Guards stores to watched fields (sartor/watch.h) in all C and C++ files of `target`, an executable
# or a library: clang compiles them with Sartor's plugin, whatever compiler the program uses, with the
# target's own options. Files passed to sartor_add_handler() are guarded in any case. No library is
# linked: a program without quasi-invariants needs no runtime. Call the function for every target
# whose code may store to a watched field; `sartor guards` lists the stores that it could not prove.
# DECLARATIONS as above.
function(sartor_watch target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "DECLARATIONS")
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "sartor_watch(${target}): \"${arg_UNPARSED_ARGUMENTS}\" is not understood; "
                        "write sartor_watch(target)")
  endif()
  sartor_find_target_(sartor_watch "EXECUTABLE;STATIC_LIBRARY;SHARED_LIBRARY;MODULE_LIBRARY;OBJECT_LIBRARY")
  sartor_find_clang_("sartor_watch(${target})")
  sartor_compile_with_plugin_(${target})
  target_include_directories(${target} PRIVATE
    $<TARGET_PROPERTY:Sartor::Sartor,INTERFACE_INCLUDE_DIRECTORIES>)
  sartor_declare_("sartor_watch(${target})" ${target} ${target} "${arg_DECLARATIONS}")
  # The code in a precompiled header would be compiled without guards.
  sartor_include_precompiled_(${target} ${target})
endfunction()

# Checks the target passed to `caller`; sets `target` to the aliased target if it is an alias.
function(sartor_find_target_ caller types)
  if(NOT TARGET ${target})
    message(FATAL_ERROR "${caller}: there is no target \"${target}\"; call add_executable() or add_library() first")
  endif()
  get_target_property(aliased ${target} ALIASED_TARGET)
  if(aliased)
    set(target ${aliased} PARENT_SCOPE)
    set(target ${aliased})
  endif()
  get_target_property(type ${target} TYPE)
  get_target_property(is_imported ${target} IMPORTED)
  if(is_imported)
    message(FATAL_ERROR "${caller}(${target}): is an imported target, which has been built; call it where "
                        "the target is built")
  elseif(type STREQUAL "INTERFACE_LIBRARY")
    message(FATAL_ERROR "${caller}(${target}): nothing is compiled for an interface library; call it for "
                        "each target that links with it, or make it a static library")
  elseif(type STREQUAL "OBJECT_LIBRARY" AND NOT type IN_LIST types)
    message(FATAL_ERROR "${caller}(${target}): handlers would not be among the objects of an object "
                        "library; make it a static library, or call it for the targets that have the "
                        "objects")
  elseif(NOT type IN_LIST types)
    message(FATAL_ERROR "${caller}(${target}): nothing is compiled for a custom target; call it for an "
                        "executable or a library")
  endif()
endfunction()

# Calls a function at the end of the directory that has created `target`, whose properties may be set after this call; at
# the end of this directory, if that one has been processed.
function(sartor_defer_ target called)
  get_target_property(directory ${target} SOURCE_DIR)
  set(at ${CMAKE_CURRENT_SOURCE_DIR})
  while(at AND NOT at STREQUAL directory)
    get_property(at DIRECTORY ${at} PROPERTY PARENT_DIRECTORY)
  endwhile()
  if(NOT at)
    set(at ${CMAKE_CURRENT_SOURCE_DIR})
  endif()
  set(arguments "")
  foreach(argument IN LISTS ARGN)
    string(APPEND arguments " [[${argument}]]")
  endforeach()
  cmake_language(EVAL CODE "cmake_language(DEFER DIRECTORY [[${at}]] CALL ${called}${arguments})")
endfunction()

# Includes the headers that a target precompiles in the C and C++ files of `compiled`, the target or the objects
# of its handlers: clang does not read precompiled headers of another compiler.
function(sartor_include_precompiled_ target compiled)
  set_target_properties(${compiled} PROPERTIES DISABLE_PRECOMPILE_HEADERS ON)
  # Deferred, because headers, and the target that they are reused from, may be set after this call.
  sartor_defer_(${target} sartor_include_headers_ ${target} ${compiled})
endfunction()

function(sartor_include_headers_ target compiled)
  get_target_property(reused ${target} PRECOMPILE_HEADERS_REUSE_FROM)
  set(owner ${target})
  if(reused)
    set(owner ${reused})
  endif()
  get_target_property(is_disabled ${target} DISABLE_PRECOMPILE_HEADERS)
  if(is_disabled AND NOT target STREQUAL compiled)
    return()
  endif()
  set(headers $<TARGET_PROPERTY:${owner},PRECOMPILE_HEADERS>)
  # A header with quotes or angle brackets is written as it is.
  set(quoted "$<FILTER:${headers},EXCLUDE,^[<\"]>")
  set(written "$<FILTER:${headers},INCLUDE,^[<\"]>")
  get_target_property(directory ${compiled} BINARY_DIR)
  set(file ${directory}/CMakeFiles/${compiled}.dir/sartor_headers.$<CONFIG>.$<COMPILE_LANGUAGE>.h)
  file(GENERATE OUTPUT ${file} CONTENT
"/* The precompiled headers of ${target}. */
$<$<BOOL:${quoted}>:#include \"$<JOIN:${quoted},\"
#include \">\"
>$<$<BOOL:${written}>:#include $<JOIN:${written},
#include >
>" TARGET ${compiled})
  set(is_included $<AND:$<BOOL:${headers}>,$<COMPILE_LANGUAGE:C,CXX>>)
  target_compile_options(${compiled} PRIVATE "$<${is_included}:SHELL:-include \"${file}\">")

  get_target_property(sources ${compiled} SOURCES)
  get_target_property(from ${compiled} SOURCE_DIR)
  foreach(source IN LISTS sources)
    if(source MATCHES "^\\$<")
      continue()
    endif()
    get_source_file_property(is_left_out ${source} DIRECTORY ${from} SKIP_PRECOMPILE_HEADERS)
    if(is_left_out)
      get_target_property(has_headers ${owner} PRECOMPILE_HEADERS)
      if(has_headers)
        message(FATAL_ERROR "\"${source}\", of target ${target}: has SKIP_PRECOMPILE_HEADERS, and files "
                            "that Sartor's plugin compiles include the headers of their target; move it to "
                            "a target without precompiled headers")
      endif()
    endif()
  endforeach()
endfunction()

# Passes all declarations of a target to `compiled`, the target or the objects of its handlers.
function(sartor_declare_ caller target compiled files)
  get_target_property(type ${target} TYPE)
  if(files AND type STREQUAL "OBJECT_LIBRARY")
    message(FATAL_ERROR "${caller}: DECLARATIONS are checked when a target is built, and nothing is built of an "
                        "object library; make it a static library")
  endif()
  foreach(file IN LISTS files)
    get_filename_component(path ${file} ABSOLUTE)
    if(NOT EXISTS ${path})
      message(FATAL_ERROR "${caller}: \"${file}\" does not exist")
    endif()
    set_property(TARGET ${target} APPEND PROPERTY SARTOR_DECLARATIONS ${path})
  endforeach()
  get_target_property(compilations ${target} SARTOR_DECLARED_COMPILATIONS)
  if(compiled IN_LIST compilations)
    return()
  endif()
  set_property(TARGET ${target} APPEND PROPERTY SARTOR_DECLARED_COMPILATIONS ${compiled})
  set(declared $<REMOVE_DUPLICATES:$<TARGET_PROPERTY:${target},SARTOR_DECLARATIONS>>)
  set(is_declared $<AND:$<BOOL:${declared}>,$<COMPILE_LANGUAGE:C,CXX>>)
  set(word -fplugin-arg-sartor-declarations=)
  set(read -Xclang=-fdepfile-entry=)
  target_compile_options(${compiled} PRIVATE
    "$<${is_declared}:${word}$<JOIN:${declared},;${word}>>"
    "$<${is_declared}:${read}$<JOIN:${declared},;${read}>>")
  if(NOT compilations)
    # Deferred, because further compilations with declarations may be added after this call.
    sartor_defer_(${target} sartor_check_declared_ ${target} ${SARTOR_COMMAND})
  endif()
endfunction()

# The last parameter is SARTOR_COMMAND, which another directory may not have.
function(sartor_check_declared_ target)
  set(SARTOR_COMMAND ${ARGN})
  get_target_property(declared ${target} SARTOR_DECLARATIONS)
  if(NOT declared)
    return()
  endif()
  sartor_command_(${target})
  get_target_property(compilations ${target} SARTOR_DECLARED_COMPILATIONS)
  list(TRANSFORM compilations REPLACE "(.+)" "$<TARGET_OBJECTS:\\1>")
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${command} declare --check ${compilations} COMMAND_EXPAND_LISTS VERBATIM)
endfunction()

# Sets `command` to the command sartor, which is available when `target` has been linked.
function(sartor_command_ target)
  if(TARGET sartor_cli) # within Sartor's own build
    set(command $<TARGET_FILE:sartor_cli> PARENT_SCOPE)
    add_dependencies(${target} sartor_cli)
  else()
    set(command ${SARTOR_COMMAND} PARENT_SCOPE)
  endif()
endfunction()

# Adds one command for a target, with the configurations and processors of all calls.
function(sartor_compile_ahead_of_time_ target configurations processors)
  get_target_property(known ${target} SARTOR_CONFIGURATIONS)
  foreach(file IN LISTS configurations)
    get_filename_component(path ${file} ABSOLUTE)
    get_source_file_property(generated ${path} GENERATED)
    if(NOT generated AND NOT EXISTS ${path})
      message(FATAL_ERROR "sartor_add_handler(${target}): \"${file}\" does not exist")
    endif()
    set_property(TARGET ${target} APPEND PROPERTY SARTOR_CONFIGURATIONS ${path})
    set_property(TARGET ${target} APPEND PROPERTY LINK_DEPENDS ${path})
  endforeach()
  if(NOT processors)
    set(processors native)
  endif()
  set_property(TARGET ${target} APPEND PROPERTY SARTOR_CPUS ${processors})
  if(known)
    return()
  endif()
  get_target_property(directory ${target} SOURCE_DIR)
  if(directory STREQUAL CMAKE_CURRENT_SOURCE_DIR)
    sartor_compile_when_linked_(${target} ${SARTOR_COMMAND})
  else() # commands of a target are added in its directory
    sartor_defer_(${target} sartor_compile_when_linked_ ${target} ${SARTOR_COMMAND})
  endif()
endfunction()

# The last parameter is SARTOR_COMMAND, which another directory may not have.
function(sartor_compile_when_linked_ target)
  set(SARTOR_COMMAND ${ARGN})
  sartor_command_(${target})
  set(files $<REMOVE_DUPLICATES:$<TARGET_PROPERTY:${target},SARTOR_CONFIGURATIONS>>)
  set(cpus $<REMOVE_DUPLICATES:$<TARGET_PROPERTY:${target},SARTOR_CPUS>>)
  add_custom_command(TARGET ${target} POST_BUILD
    COMMAND ${command} compile $<TARGET_FILE:${target}> "--config;$<JOIN:${files},;--config;>"
            "--cpu;$<JOIN:${cpus},;--cpu;>"
    COMMAND_EXPAND_LISTS VERBATIM)
endfunction()

# `caller`: the function that the project has called, for the message.
function(sartor_find_clang_ caller)
  find_program(SARTOR_CLANG clang-${SARTOR_LLVM_VERSION})
  find_program(SARTOR_CLANGXX clang++-${SARTOR_LLVM_VERSION})
  # LLVM itself installs the two as clang-22 and clang++.
  if(SARTOR_CLANG AND NOT SARTOR_CLANGXX)
    cmake_path(GET SARTOR_CLANG PARENT_PATH folder)
    find_program(SARTOR_CLANGXX clang++ PATHS ${folder} NO_DEFAULT_PATH)
  endif()
  if(NOT SARTOR_CLANG OR NOT SARTOR_CLANGXX)
    message(FATAL_ERROR "${caller}: clang-${SARTOR_LLVM_VERSION} is not "
                        "installed; apt-get install clang-${SARTOR_LLVM_VERSION}")
  endif()
endfunction()

# Compiles the C and C++ files of a target with clang and the plugin.
function(sartor_compile_with_plugin_ target)
  set(launcher ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/sartor-clang.sh)
  if(TARGET sartor_plugin) # within Sartor's own build
    set(plugin sartor_plugin)
    # A custom target, because objects do not wait for the libraries that their target depends on.
    if(NOT TARGET sartor_plugin_built)
      add_custom_target(sartor_plugin_built DEPENDS sartor_plugin)
    endif()
    add_dependencies(${target} sartor_plugin_built)
  else()
    set(plugin Sartor::Plugin)
  endif()
  # The plugin is in the depfile, so that files are compiled again when it changes. Ninja knows
  # files of the build by their relative paths only.
  set(plugin_file $<TARGET_FILE:${plugin}>)
  if(CMAKE_GENERATOR MATCHES Ninja)
    set(plugin_file $<PATH:RELATIVE_PATH,${plugin_file},${CMAKE_BINARY_DIR}>)
  endif()
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:C,CXX>:-Wno-unknown-warning-option>
    $<$<COMPILE_LANGUAGE:C,CXX>:-fno-lto>
    $<$<COMPILE_LANGUAGE:C,CXX>:-fplugin=$<TARGET_FILE:${plugin}>>
    $<$<COMPILE_LANGUAGE:C,CXX>:-fpass-plugin=$<TARGET_FILE:${plugin}>>
    $<$<COMPILE_LANGUAGE:C,CXX>:-Xclang=-fdepfile-entry=${plugin_file}>)
  set_target_properties(${target} PROPERTIES
    CXX_SCAN_FOR_MODULES OFF
    C_COMPILER_LAUNCHER "${launcher};${SARTOR_LLVM_VERSION};${SARTOR_CLANG}"
    CXX_COMPILER_LAUNCHER "${launcher};${SARTOR_LLVM_VERSION};${SARTOR_CLANGXX}")
  sartor_compile_as_files_(${target})
  # Called again at the end, because properties may be set after this call.
  sartor_defer_(${target} sartor_compile_as_files_ ${target})
endfunction()

# Turns interprocedural optimization off: its options are those of the other compiler.
function(sartor_compile_as_files_ target)
  set_target_properties(${target} PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)
  foreach(configuration IN LISTS CMAKE_CONFIGURATION_TYPES CMAKE_BUILD_TYPE)
    string(TOUPPER ${configuration} configuration)
    set_target_properties(${target} PROPERTIES INTERPROCEDURAL_OPTIMIZATION_${configuration} OFF)
  endforeach()
endfunction()

# Creates the object library that compiles a target's handler files.
function(sartor_add_handler_objects_ target objects)
  add_library(${objects} OBJECT EXCLUDE_FROM_ALL) # built for its target, which may not be in `all`
  target_compile_definitions(${objects} PRIVATE SARTOR_POINTS=1
                             $<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>)
  target_include_directories(${objects} PRIVATE $<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>)
  # The plugin's options are removed here: a target with sartor_watch() has them itself.
  target_compile_options(${objects} PRIVATE
    $<FILTER:$<TARGET_PROPERTY:${target},COMPILE_OPTIONS>,EXCLUDE,SartorPlugin|sartor-declarations|fdepfile-entry>)
  target_compile_features(${objects} PRIVATE $<TARGET_PROPERTY:${target},COMPILE_FEATURES>)
  target_link_libraries(${objects} PRIVATE $<TARGET_PROPERTY:${target},LINK_LIBRARIES>)
  sartor_compile_with_plugin_(${objects})
  sartor_include_precompiled_(${target} ${objects})
  set_target_properties(${objects} PROPERTIES
    POSITION_INDEPENDENT_CODE ON
    UNITY_BUILD OFF)
  # Deferred, because the target's properties may be set after this call.
  sartor_defer_(${target} sartor_copy_language_properties_ ${target} ${objects})
  sartor_defer_(${target} sartor_wait_for_generated_files_ ${target} ${objects})

  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${objects}>)
  target_link_libraries(${target} PRIVATE Sartor::Sartor)
  if(TARGET sartor_compiler) # which no target links with
    add_dependencies(${target} sartor_compiler)
  endif()
endfunction()

# Copies the properties that no generator expression reads.
function(sartor_copy_language_properties_ target objects)
  foreach(property IN ITEMS
          C_STANDARD C_STANDARD_REQUIRED C_EXTENSIONS C_VISIBILITY_PRESET
          CXX_STANDARD CXX_STANDARD_REQUIRED CXX_EXTENSIONS CXX_VISIBILITY_PRESET
          VISIBILITY_INLINES_HIDDEN
          COMPILE_FLAGS COMPILE_WARNING_AS_ERROR NO_SYSTEM_FROM_IMPORTED)
    get_target_property(value ${target} ${property})
    if(NOT value MATCHES "-NOTFOUND$")
      set_property(TARGET ${objects} PROPERTY ${property} "${value}")
    endif()
  endforeach()
  # The macro that is defined for the files of a loadable library.
  get_target_property(type ${target} TYPE)
  get_target_property(exports ${target} ENABLE_EXPORTS)
  if(type MATCHES "^(SHARED|MODULE)_LIBRARY$" OR (type STREQUAL "EXECUTABLE" AND exports))
    get_target_property(symbol ${target} DEFINE_SYMBOL)
    if(NOT symbol)
      string(MAKE_C_IDENTIFIER ${target}_EXPORTS symbol)
    endif()
    target_compile_definitions(${objects} PRIVATE ${symbol})
  endif()
endfunction()

# Compiles handlers after the files that are generated for their target, such as headers: the targets that it depends on,
# and the generated headers among its sources.
function(sartor_wait_for_generated_files_ target objects)
  get_target_property(dependencies ${target} MANUALLY_ADDED_DEPENDENCIES)
  string(REPEAT "[0-9a-f]" 12 hash)
  list(FILTER dependencies EXCLUDE REGEX "_bpf_${hash}$") # of sartor_add_bpf_handler()
  list(REMOVE_ITEM dependencies sartor_cli sartor_compiler) # within Sartor's own build
  if(dependencies)
    add_dependencies(${objects} ${dependencies})
  endif()
  # Rules that generate files are known in their directory, and belong to files that are compiled by CMake's own rules.
  get_target_property(type ${objects} TYPE)
  get_target_property(directory ${target} SOURCE_DIR)
  get_target_property(directory_of_objects ${objects} SOURCE_DIR)
  if(NOT directory STREQUAL directory_of_objects OR NOT type STREQUAL "OBJECT_LIBRARY")
    return()
  endif()
  get_target_property(folder ${target} BINARY_DIR)
  get_target_property(sources ${target} SOURCES)
  foreach(source IN LISTS sources)
    if(NOT source MATCHES "^[^$]+[.](h|H|hh|hpp|hxx|h[+][+]|inc|inl|ipp|tpp|txx|def)$")
      continue()
    endif()
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${folder} OUTPUT_VARIABLE path)
    get_source_file_property(is_generated ${path} DIRECTORY ${directory} GENERATED)
    if(is_generated)
      target_sources(${objects} PRIVATE ${path})
    endif()
  endforeach()
endfunction()
