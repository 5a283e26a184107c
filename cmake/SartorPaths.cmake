# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# sartor_paths(target NAME path ...): paths of files that the target's sources use. `#include "paths.h"` declares a
# function paths::NAME() for each. As macros, they would be in the target's compile commands, and ccache would find none
# of its objects for a clone of the tree in another folder.
function(sartor_paths target)
  set(folder ${CMAKE_CURRENT_BINARY_DIR}/paths/${target})
  set(declarations "")
  set(definitions "")
  while(ARGN)
    list(POP_FRONT ARGN name path)
    string(APPEND declarations "std::string ${name}();\n")
    string(APPEND definitions "std::string ${name}() { return R\"(${path})\"; }\n")
  endwhile()
  file(CONFIGURE OUTPUT ${folder}/paths.h CONTENT "#pragma once\n#include <string>\nnamespace paths {\n${declarations}}\n")
  file(GENERATE OUTPUT ${folder}/paths.cpp CONTENT "#include \"paths.h\"\nnamespace paths {\n${definitions}}\n")
  target_sources(${target} PRIVATE ${folder}/paths.cpp)
  set_source_files_properties(${folder}/paths.cpp PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
  target_include_directories(${target} PUBLIC ${folder})
endfunction()
