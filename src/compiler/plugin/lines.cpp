// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lines.h"

#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>

#include "compiler/frontend/places.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

bool in_native = true;
bool in_bitcode = true;

} // namespace

bool take_lines_option(StringRef word) {
  if (word == "variants")
    in_native = false;
  else if (word == "none")
    in_bitcode = false;
  else
    return false;
  return true;
}

void choose_lines_of_bitcode(Module &bitcode) {
  // With remarks of optimizations, clang tracks locations without emitting them.
  if (!in_bitcode || bitcode.debug_compile_units().empty()) {
    StripDebugInfo(bitcode);
    return;
  }
  for (DICompileUnit *unit : bitcode.debug_compile_units()) {
    unit->replaceEnumTypes({});
    unit->replaceRetainedTypes({});
    unit->replaceGlobalVariables({});
    unit->replaceImportedEntities({});
    unit->replaceMacros({});
  }
  for (GlobalVariable &variable : bitcode.globals())
    variable.eraseMetadata(LLVMContext::MD_dbg);
  repair_places(bitcode);
}

void choose_lines_of_native(Module &native) {
  if (!in_native)
    StripDebugInfo(native);
}

} // namespace sartor::compiler
