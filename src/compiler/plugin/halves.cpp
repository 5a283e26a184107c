// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plugin/halves.h"

#include <utility>

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/DebugInfo.h>
#include <llvm/IR/DebugInfoMetadata.h>

#include "compiler/frontend/places.h"
#include "compiler/frontend/prepare.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// The functions of points.h that represent marks.
constexpr const char *kMarks[] = {"sartor_point_",  "sartor_call_point_", "sartor_assert_const_",
                                  "sartor_one_of_", "sartor_local_",      "sartor_publish_"};

bool in_handler_module = false; // one file at a time, by one thread

bool has_front_end = false;

// The halves of the output that have lines.
bool in_native = true;
bool in_bitcode = true;

std::vector<std::string> &counted_late() {
  static std::vector<std::string> options;
  return options;
}

} // namespace

bool holds_handler_code(const Module &module) {
  return in_handler_module ||
         llvm::any_of(kMarks, [&](const char *mark) { return module.getFunction(mark); }) ||
         llvm::any_of(module, [](const Function &function) {
           return compiler::is_handler(function) ||
                  function.hasFnAttribute(compiler::kFoldAttribute);
         });
}

void set_in_handler_module(bool is_in) { in_handler_module = is_in; }

bool is_in_handler_module() { return in_handler_module; }

void set_front_end_takes_part() { has_front_end = true; }

bool front_end_takes_part() { return has_front_end; }

void set_counted_by_late_passes(std::vector<std::string> options) {
  counted_late() = std::move(options);
}

const std::vector<std::string> &counted_by_late_passes() { return counted_late(); }

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
