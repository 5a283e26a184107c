// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "point/native_only.h"

#include "point/copy_function.h"

namespace sartor::point {

using namespace llvm;

namespace {

constexpr const char *kNativeOnlyAttribute = "sartor-native-only";

// What the code generator would make of them refers to a runtime of the program's, or to what
// stands before each function.
struct Hardening {
  bool present;
  const char *reason;
};

std::string hardening_of(const Function &function) {
  const Hardening known[] = {
      {function.hasFnAttribute("split-stack"), "the function is compiled with -fsplit-stack"},
      {function.hasFnAttribute(Attribute::SafeStack),
       "the function is compiled with -fsanitize=safe-stack"},
      {function.hasMetadata(LLVMContext::MD_kcfi_type),
       "the function is compiled with -fsanitize=kcfi"}};
  for (const Hardening &hardening : known)
    if (hardening.present)
      return hardening.reason;
  return "";
}

} // namespace

std::string native_only_reason(const Function &function) {
  if (function.hasFnAttribute(kNativeOnlyAttribute))
    return function.getFnAttribute(kNativeOnlyAttribute).getValueAsString().str();
  if (function.isPresplitCoroutine())
    return "the function is a coroutine";
  if (std::string hardening = hardening_of(function); !hardening.empty())
    return hardening;
  return copy_problem(function);
}

void keep_native(Function &function, StringRef why) {
  function.addFnAttr(kNativeOnlyAttribute, why);
}

} // namespace sartor::point
