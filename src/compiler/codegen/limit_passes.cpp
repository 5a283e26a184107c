// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/codegen/limit_passes.h"

#include <llvm/Analysis/LazyCallGraph.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Module.h>
#include <llvm/Support/raw_ostream.h>

namespace sartor::compiler {

using namespace llvm;

namespace {

const Function *function_of(const Any &code) {
  if (const auto *function = any_cast<const Function *>(&code))
    return *function;
  if (const auto *loop = any_cast<const Loop *>(&code))
    return (*loop)->getHeader()->getParent();
  if (const auto *component = any_cast<const LazyCallGraph::SCC *>(&code))
    return &(*component)->begin()->getFunction();
  return nullptr;
}

const Module *module_of(const Any &code) {
  const auto *module = any_cast<const Module *>(&code);
  return module ? *module : function_of(code) ? function_of(code)->getParent() : nullptr;
}

std::string text_of(const Module *module) {
  std::string text;
  raw_string_ostream stream(text);
  if (module)
    module->print(stream, nullptr);
  return text;
}

} // namespace

void limit_passes(PassInstrumentationCallbacks &callbacks, core::PassLimit &limit) {
  callbacks.registerShouldRunOptionalPassCallback([&](StringRef pass, const Any &code) {
    if (++limit.asked != limit.most)
      return limit.asked < limit.most;
    const StringRef in_pipelines = callbacks.getPassNameForClassName(pass);
    limit.pass = in_pipelines.empty() ? pass.str() : in_pipelines.str();
    const Function *function = function_of(code);
    limit.function = function ? function->getName().str() : "the whole module";
    if (limit.wants_code)
      limit.before = text_of(module_of(code));
    return true;
  });
  const auto note = [&](StringRef, const Any &code, const PreservedAnalyses &) {
    if (limit.wants_code && limit.after.empty() && limit.asked == limit.most)
      limit.after = text_of(module_of(code));
  };
  callbacks.registerAfterPassCallback(note);
}

} // namespace sartor::compiler
