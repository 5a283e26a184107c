// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/readable.h"

#include <llvm/ADT/StringRef.h>
#include <llvm/IR/BasicBlock.h>
#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/Support/Path.h>

#include "compiler/frontend/prepare.h"
#include "core/space/readable_name.h"

namespace sartor::compiler {

using namespace llvm;

std::string readable(const Function &function) {
  return core::readable_name(is_handler(function) ? handler_name(function)
                                                  : function.getName().str());
}

namespace {

// Without the folder, which differs between machines that build the same program.
std::string text_of(StringRef file, unsigned line) {
  return line == 0 ? "" : " (" + sys::path::filename(file).str() + ":" + std::to_string(line) + ")";
}

} // namespace

std::string place_text(const DebugLoc &place) {
  return place ? text_of(place->getFilename(), place->getLine()) : "";
}

std::string place_text(const Function &function) {
  const DISubprogram *source = function.getSubprogram();
  return source ? text_of(source->getFilename(), source->getLine()) : "";
}

DebugLoc place_of(const BasicBlock &block) {
  for (const Instruction &instruction : block)
    if (const DebugLoc &place = instruction.getDebugLoc(); place && place->getLine() != 0)
      return place;
  return {};
}

} // namespace sartor::compiler
