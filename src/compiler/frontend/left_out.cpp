// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/left_out.h"

#include <set>
#include <utility>

#include <llvm/ADT/STLExtras.h>
#include <llvm/ADT/StringExtras.h>
#include <llvm/IR/Attributes.h>
#include <llvm/IR/Instructions.h>
#include <llvm/IR/Intrinsics.h>

#include "compiler/frontend/host.h"
#include "compiler/frontend/prepare.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

constexpr StringRef kCounters = "llvm.instrprof.";

// Families of intrinsics that neither tier lowers: they are for LTO, for managed languages and for
// counters of native code.
constexpr StringRef kNotLowered[] = {"llvm.type.test",
                                     "llvm.type.checked.load",
                                     "llvm.public.type.test",
                                     "llvm.icall.branch.funnel",
                                     "llvm.experimental.guard",
                                     "llvm.experimental.deoptimize",
                                     "llvm.experimental.gc.",
                                     "llvm.experimental.widenable",
                                     "llvm.gcread",
                                     "llvm.gcwrite",
                                     "llvm.call.preallocated.",
                                     "llvm.coro.id.retcon",
                                     "llvm.coro.id.async",
                                     kCounters};

bool is_lowered(const Function &intrinsic) {
  const StringRef name = intrinsic.getName();
  if (intrinsic.isTargetIntrinsic())
    return !host().triple.isX86() || name.starts_with("llvm.x86.");
  return none_of(kNotLowered, [&](StringRef family) { return name.starts_with(family); });
}

} // namespace

bool drop_native_counters(Module &module) {
  bool were_any = false;
  for (Function &function : make_early_inc_range(module)) {
    if (!function.getName().starts_with(kCounters) || !function.isIntrinsic())
      continue;
    for (User *user : make_early_inc_range(function.users())) {
      auto *call = cast<CallInst>(user);
      if (!call->getType()->isVoidTy())
        call->replaceAllUsesWith(Constant::getNullValue(call->getType()));
      call->eraseFromParent();
    }
    function.eraseFromParent();
    were_any = true;
  }
  return were_any;
}

std::string lowering_problem(const Module &module) {
  for (const Function &function : module)
    if (function.isIntrinsic() && !function.use_empty() && !is_lowered(function))
      return "uses " + function.getName().str() + ", of which LLVM makes no code by itself";
  return "";
}

namespace {

constexpr StringRef kLeftOut = "sartor-left-out";

// Function attributes and the clang option that sets each; an empty option means that another
// attribute in the list reports it.
constexpr std::pair<StringRef, StringRef> kHooks[] = {
    {"instrument-function-entry", "-finstrument-functions"},
    {"instrument-function-exit", "-finstrument-functions"},
    {"instrument-function-exit-inlined", "-finstrument-functions-after-inlining"},
    {"fentry-call", "-pg"},
    {"mnop-mcount", ""},
    {"mrecord-mcount", ""},
    {"function-instrument", "-fxray-instrument"},
    {"xray-instruction-threshold", "-fxray-instrument"},
    {"xray-skip-entry", ""},
    {"xray-skip-exit", ""},
    {"xray-ignore-loops", ""},
    {"xray-log-args", ""},
    {"patchable-function-entry", "-fpatchable-function-entry"},
    {"patchable-function-prefix", ""},
    {"patchable-function-entry-section", ""}};

// LLVM's names of attributes; an older version does not know all.
constexpr std::pair<StringRef, StringRef> kSanitizers[] = {
    {"sanitize_address", "-fsanitize=address"},
    {"sanitize_hwaddress", "-fsanitize=hwaddress"},
    {"sanitize_memory", "-fsanitize=memory"},
    {"sanitize_memtag", "-fsanitize=memtag"},
    {"sanitize_numerical_stability", "-fsanitize=numerical"},
    {"sanitize_realtime", "-fsanitize=realtime"},
    {"sanitize_thread", "-fsanitize=thread"},
    {"sanitize_type", "-fsanitize=type"}};

// Removes the call of __cyg_profile_func_enter() or mcount() that the end of code generation would
// insert.
void leave_out_late_call(Function &function, std::set<std::string> &options) {
  constexpr StringRef kCall = "instrument-function-entry-inlined";
  if (!function.hasFnAttribute(kCall))
    return;
  const StringRef callee = function.getFnAttribute(kCall).getValueAsString();
  options.insert(callee.contains("cyg_profile") ? "-finstrument-functions" : "-pg");
  function.removeFnAttr(kCall);
}

void leave_out_of(Function &function, std::set<std::string> &options) {
  leave_out_late_call(function, options);
  const auto leave_out = [&](auto attribute, StringRef option) {
    if (!function.hasFnAttribute(attribute))
      return;
    if (!option.empty())
      options.insert(option.str());
    function.removeFnAttr(attribute);
  };
  for (const auto &[attribute, option] : kHooks)
    leave_out(attribute, option);
  for (const auto &[name, option] : kSanitizers)
    if (const auto attribute = Attribute::getAttrKindFromName(name); attribute != Attribute::None)
      leave_out(attribute, option);
}

} // namespace

void leave_out_native_hooks(Module &module, const std::vector<std::string> &others) {
  std::set<std::string> options(others.begin(), others.end());
  if (drop_native_counters(module))
    options.insert("-fprofile-instr-generate");
  if (NamedMDNode *coverage = module.getNamedMetadata("llvm.gcov"))
    coverage->eraseFromParent();
  for (Function &function : module)
    leave_out_of(function, options);
  if (options.empty())
    return;
  for (Function &function : module)
    if (is_handler(function))
      function.addFnAttr(kLeftOut, join(options, ", "));
}

std::string left_out_of(const Function &handler) {
  return handler.getFnAttribute(kLeftOut).getValueAsString().str();
}

bool has_only_checks_left_out(const Function &handler) {
  const StringRef options = handler.getFnAttribute(kLeftOut).getValueAsString();
  return !options.empty() && all_of(split(options, ", "), [](StringRef option) {
    return option == "-fsanitize=address" || option == "-fsanitize=thread";
  });
}

std::string take_left_out(Function &handler) {
  std::string options = left_out_of(handler);
  handler.removeFnAttr(kLeftOut);
  return options;
}

} // namespace sartor::compiler
