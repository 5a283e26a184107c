#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# target_kinds.sh STAGE WORK GENERATOR: builds handlers and watched files in each kind of target, with the
# properties that CMake has for targets and files, using the machine's default compiler if there is one.
set -euo pipefail
llvm=${SARTOR_LLVM:-22} # the major version that Sartor is built with
stage=$(realpath "$1") work=$(realpath -m "$2") generator=$3
rm -rf "$work"
mkdir -p "$work/the source" "$work/the prefix"
cd "$work/the source"
# Paths with blanks, also of the installed files.
ln -s "$stage"/* "$work/the prefix"
compilers=()
command -v c++ >/dev/null || compilers=(-DCMAKE_C_COMPILER=clang-$llvm -DCMAKE_CXX_COMPILER=clang++-$llvm)
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 3.25)
project(kinds LANGUAGES C CXX)
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION ON)
set(CMAKE_INTERPROCEDURAL_OPTIMIZATION_RELEASE ON)
find_package(Sartor REQUIRED)

# Headers of the target, of its link libraries, and of the standard library; a macro that only these define.
add_library(usage INTERFACE)
target_precompile_headers(usage INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}/usage.h)
target_compile_definitions(usage INTERFACE $<$<COMPILE_LANGUAGE:CXX>:BY_USAGE=1>)
function(add_kind name)
  target_link_libraries(${name} PRIVATE usage)
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_precompile_headers(${name} PRIVATE "own header.h" <vector> [["quoted.h"]] $<$<COMPILE_LANGUAGE:CXX>:<string$<ANGLE-R>>)
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  set_target_properties(${name} PROPERTIES UNITY_BUILD ON COMPILE_FLAGS -DBY_FLAGS=1 CXX_VISIBILITY_PRESET hidden)
  # A header that another target makes, and one that is made for this target.
  add_dependencies(${name} headers)
  target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
  add_header(${name}.made.h)
  target_sources(${name} PRIVATE ${name}.made.h)
endfunction()
function(add_header name)
  add_custom_command(OUTPUT ${name} COMMAND ${CMAKE_COMMAND} -E copy ${CMAKE_CURRENT_SOURCE_DIR}/usage.h ${name} VERBATIM)
endfunction()
add_header(headers.h)
add_custom_target(headers DEPENDS headers.h)
set_source_files_properties(handler.cpp PROPERTIES COMPILE_OPTIONS -DBY_OPTIONS=1
                            COMPILE_DEFINITIONS BY_DEFINITIONS=1 INCLUDE_DIRECTORIES ${CMAKE_CURRENT_SOURCE_DIR}/more)

foreach(kind IN ITEMS STATIC SHARED MODULE)
  add_library(of_${kind} ${kind} other.cpp)
  sartor_add_handler(of_${kind} SOURCES handler.cpp)
  add_kind(of_${kind})
  target_compile_definitions(of_${kind} PRIVATE KIND=${kind} IS_${kind}=1 "OF_TARGET=\"of_${kind}.made.h\"")
  add_executable(with_${kind} main.cpp)
  target_link_libraries(with_${kind} PRIVATE ${CMAKE_DL_LIBS})
  if(NOT kind STREQUAL MODULE)
    target_link_libraries(with_${kind} PRIVATE of_${kind})
  else()
    target_compile_definitions(with_${kind} PRIVATE "LOADED=\"$<TARGET_FILE:of_MODULE>\"")
    add_dependencies(with_MODULE of_MODULE)
  endif()
endforeach()
add_executable(with_EXECUTABLE main.cpp other.cpp)
add_executable(alias::of ALIAS with_EXECUTABLE)
sartor_add_handler(alias::of SOURCES handler.cpp)
add_kind(with_EXECUTABLE)
target_compile_definitions(with_EXECUTABLE PRIVATE KIND=EXECUTABLE)

# Handlers in a directory below that of their target, whose properties are set later.
add_executable(with_BELOW main.cpp other.cpp)
add_subdirectory(below)
add_kind(with_BELOW)
target_compile_definitions(with_BELOW PRIVATE KIND=BELOW)

# A handler that calls through a pointer, linked with the library of the target's own compiler.
include(CheckCSourceCompiles)
set(CMAKE_REQUIRED_FLAGS -fsanitize=undefined)
check_c_source_compiles("int main(void) { return 0; }" HAS_SANITIZER)
add_executable(with_SANITIZER sanitized.c)
sartor_add_handler(with_SANITIZER SOURCES calling.c)
if(HAS_SANITIZER)
  target_compile_options(with_SANITIZER PRIVATE -fsanitize=undefined)
  target_link_options(with_SANITIZER PRIVATE -fsanitize=undefined)
endif()

# A target that is not built here, like its handlers.
add_executable(without_ALL EXCLUDE_FROM_ALL main.cpp)
sartor_add_handler(without_ALL SOURCES broken.cpp)

# A kernel handler that includes a header of another target.
add_executable(with_KERNEL kernel.c)
sartor_add_bpf_handler(with_KERNEL SOURCES kernel.bpf.c)
target_include_directories(with_KERNEL PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
add_dependencies(with_KERNEL headers)

# Watched files, also in an object library; headers of another target.
add_library(objects OBJECT watched.cpp)
sartor_watch(objects)
add_kind(objects)
set_target_properties(objects PROPERTIES INTERPROCEDURAL_OPTIMIZATION ON)
add_executable(reusing watching.cpp)
target_compile_features(reusing PRIVATE cxx_std_20)
sartor_watch(reusing)
target_link_libraries(reusing PRIVATE objects)
add_library(owner STATIC other.cpp)
add_kind(owner)
target_precompile_headers(reusing REUSE_FROM owner)
target_include_directories(reusing PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})

install(TARGETS of_STATIC of_SHARED usage EXPORT kinds)
install(EXPORT kinds NAMESPACE kinds:: DESTINATION lib/cmake/kinds)
END
cat >CMakePresets.json <<'END'
{"version": 5, "configurePresets": [{"name": "release", "binaryDir": "${sourceDir}/../build",
  "cacheVariables": {"CMAKE_BUILD_TYPE": "Release", "CMAKE_CONFIGURATION_TYPES": "Release"}}]}
END
mkdir below more
cat >below/CMakeLists.txt <<'END'
set_source_files_properties(${CMAKE_SOURCE_DIR}/handler.cpp PROPERTIES COMPILE_OPTIONS -DBY_OPTIONS=1
                            COMPILE_DEFINITIONS BY_DEFINITIONS=1 INCLUDE_DIRECTORIES ${CMAKE_SOURCE_DIR}/more)
sartor_add_handler(with_BELOW SOURCES ../handler.cpp CONFIGURATIONS ../configuration.json)
END
echo '[{"value": 7}]' >configuration.json
echo '#define BY_INCLUDE 1' >more/more.h
echo '#define USAGE_HEADER 1' >usage.h
printf '#pragma once\n#define OWN_HEADER 1\n' >'own header.h'
echo '#define QUOTED_HEADER 1' >quoted.h
cat >handler.cpp <<'END'
#include <sartor/points.h>
#include "more.h"
#include <headers.h>
#ifdef OF_TARGET
#include OF_TARGET
#endif
static_assert(OWN_HEADER && QUOTED_HEADER && USAGE_HEADER && BY_USAGE && BY_FLAGS && BY_OPTIONS && BY_DEFINITIONS && BY_INCLUDE);
static_assert(__cplusplus >= 202002L);
#if defined IS_SHARED && !defined of_SHARED_EXPORTS || defined IS_MODULE && !defined of_MODULE_EXPORTS
#error the symbol of a library's own files
#endif
SARTOR_HANDLER int scaled(int value) {
  std::vector<std::string> names(1);
  return sartor_enum("value", value, 7, 8) * 10 * static_cast<int>(names.size());
}
END
echo '#error is compiled' >broken.cpp
printf '#include <sartor/points.h>\nSARTOR_HANDLER int calling(int (*f)(int)) { return f(sartor_enum("called", 16, 8, 16)); }\n' >calling.c
printf '#include <stdio.h>\nint calling(int (*)(int));\nstatic int tens(int x) { return 10 * x; }\nint main(void) { printf("%%d", calling(tens)); }\n' >sanitized.c
printf '#include <headers.h>\nint kernel(void *context) { return USAGE_HEADER; }\n' >kernel.bpf.c
printf '#include <stdio.h>\nint main(void) { puts("160"); }\n' >kernel.c
cat >other.cpp <<'END'
#ifdef KIND
#include <sartor/sartor.hpp>
int scaled(int value);
extern "C" [[gnu::visibility("default")]] int run() {
  sartor::Runtime runtime;
  auto entry = runtime.handler<&scaled>();
  auto made = runtime.specialize({{"value", 7}});
  return made.size() == 1 && made[0].name.find("value=7") != std::string::npos ? entry(7) + entry(9) : 1;
}
#endif
END
cat >main.cpp <<'END'
#include <dlfcn.h>
#include <cstdio>
extern "C" int run();
int main() {
#ifdef LOADED
  void *library = dlopen(LOADED, RTLD_NOW);
  auto run = library ? reinterpret_cast<int (*)()>(dlsym(library, "run")) : nullptr;
  if (!run)
    return std::puts(dlerror()), 1;
#endif
  std::printf("%d\n", run());
}
END
cat >watched.h <<'END'
#pragma once
#include <sartor/watch.h>
struct file { int a; SARTOR_WATCHED int shared; };
void set(file *of, int to);
END
cat >watched.cpp <<'END'
#include "watched.h"
static_assert(OWN_HEADER && QUOTED_HEADER && USAGE_HEADER && BY_FLAGS);
void set(file *of, int to) { of->shared = to; }
END
cat >watching.cpp <<'END'
#include "watched.h"
#include <cstdio>
static_assert(OWN_HEADER && QUOTED_HEADER && USAGE_HEADER);
int main() { file of{}; set(&of, 3); of.shared += 157; std::printf("%d\n", of.shared); }
END
# Handlers first, so that nothing else has made the headers.
{ cmake --preset release -G "$generator" -DCMAKE_PREFIX_PATH="$work/the prefix" "${compilers[@]}" &&
  cmake --build ../build -j1 --config Release --target of_STATIC_sartor_handlers &&
  cmake --build ../build -j1 --config Release &&
  cmake --install ../build --config Release --prefix ../installed; } >../log 2>&1 || { tail -n 40 ../log; exit 1; }
for program in with_STATIC with_SHARED with_MODULE with_EXECUTABLE with_BELOW with_SANITIZER with_KERNEL reusing; do
  path=../build/$program
  [[ -x $path ]] || path=../build/Release/$program
  output=$("$path" 2>&1) || { echo "$generator: $program: fails: $output"; exit 1; }
  [[ $output == 160 ]] || { echo "$generator: $program: gives $output"; exit 1; }
done
readelf -SW "$path" | grep '[.]sartor[.]guards' >/dev/null || { echo "$generator: files are not watched"; exit 1; }
