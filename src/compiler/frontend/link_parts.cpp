// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/link_parts.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include <llvm/IR/InstIterator.h>
#include <llvm/Linker/Linker.h>

#include "compiler/frontend/call_marks.h"
#include "compiler/frontend/diagnostics.h"
#include "compiler/frontend/marks.h"
#include "compiler/frontend/native_only.h"
#include "compiler/frontend/read_module.h"
#include "compiler/frontend/readable.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// Keeps functions native that the program has replaced: the linker preferred another definition of
// the name, or another library's definition came first.
void leave_replaced(Module &part, std::span<const sartor_symbol> symbols) {
  for (const sartor_symbol &symbol : symbols)
    if (symbol.own && symbol.own != symbol.address)
      if (Function *function = part.getFunction(symbol.name)) {
        keep_native(*function, "the program uses another definition of it");
        function->removeFnAttr(Attribute::NoUnwind); // valid for this definition only
      }
}

Result<std::unique_ptr<Module>> read(const Part &part, LLVMContext &context) {
  auto module = read_module(part.bytes, part.name, context);
  if (module)
    leave_replaced(**module, part.symbols);
  return module;
}

// Adds a declaration for each available_externally definition: the linker only links those for
// which a declaration exists.
void declare_known(Module &whole, const Module &part) {
  for (const Function &function : part)
    if (function.hasAvailableExternallyLinkage() && !whole.getNamedValue(function.getName()))
      Function::Create(function.getFunctionType(), GlobalValue::ExternalLinkage, function.getName(),
                       whole);
  for (const GlobalVariable &variable : part.globals())
    if (variable.hasAvailableExternallyLinkage() && !whole.getNamedValue(variable.getName()))
      new GlobalVariable(whole, variable.getValueType(), variable.isConstant(),
                         GlobalValue::ExternalLinkage, nullptr, variable.getName());
}

// True if the parts are the same file linked twice, with different variables under the same names.
bool are_twins(const Part &a, const Part &b) {
  return a.bytes == b.bytes &&
         !std::ranges::equal(a.symbols, b.symbols, {}, &sartor_symbol::address,
                             &sartor_symbol::address);
}

/// Inline function → the labels of its points, and the name of the first part that has it.
using InlineLabels = std::map<std::string, std::pair<std::set<std::string>, std::string>>;

std::set<std::string> labels_in(Function &function) {
  std::set<std::string> labels;
  for (CallInst *point : points_of(function))
    if (auto mark = read_mark(*point))
      labels.insert(mark->label);
  for (Instruction &instruction : instructions(function))
    if (const auto *call = dyn_cast<CallBase>(&instruction);
        call && call->getCalledFunction() && is_call_point(*call->getCalledFunction()))
      labels.insert(read_call_mark(*call->getCalledFunction()).label);
  return labels;
}

// The linker keeps one of several definitions of an inline function, so they must have the same
// points.
std::optional<Failure> take_inline(InlineLabels &known, Module &part, const std::string &name) {
  for (Function &function : part) {
    if (function.isDeclaration() || function.hasLocalLinkage())
      continue;
    const std::set<std::string> labels = labels_in(function);
    const auto [first, is_new] = known.try_emplace(function.getName().str(), labels, name);
    if (is_new || labels == first->second.first)
      continue;
    const bool has_more = labels.size() > first->second.first.size();
    return Failure{ErrorCode::conflicting_label, readable(function),
                   "is an inline function that has points in " +
                       (has_more ? name : first->second.second) + " and other ones, or none, in " +
                       (has_more ? first->second.second : name),
                   "compile both files with the same macros: SARTOR_POINTS is defined in all files "
                   "with handlers, by sartor_add_handler() and sartor-cc"};
  }
  return std::nullopt;
}

/// A linked module, or the index of the part that prevents it.
struct Attempt {
  std::unique_ptr<Module> module;
  std::size_t bad = 0;
  Failure why;
  bool is_fatal = false; ///< True if the error is in the program itself.
};

Attempt attempt(std::span<const Part> parts, LLVMContext &context) {
  Diagnostics diagnostics(context);
  std::unique_ptr<Module> whole;
  InlineLabels inline_labels;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (std::ranges::any_of(parts.first(i),
                            [&](const Part &other) { return are_twins(other, parts[i]); }))
      return {nullptr,
              i,
              {ErrorCode::bad_bitcode, parts[i].name,
               "is embedded twice, and nothing tells its variables apart",
               "compile it with another definition (-D) the second time"}};
    auto part = read(parts[i], context);
    if (!part)
      return {nullptr, i, std::move(part.error())};
    if (parts.size() > 1)
      if (auto differ = take_inline(inline_labels, **part, parts[i].name))
        return {nullptr, i, std::move(*differ), /*is_fatal=*/true};
    if (!whole) {
      whole = std::move(*part);
      continue;
    }
    declare_known(*whole, **part);
    if (Linker::linkModules(*whole, std::move(*part)))
      return {nullptr,
              i,
              {ErrorCode::bad_bitcode, parts[i].name,
               "cannot be linked with the program's other handler modules: " +
                   diagnostics.take_errors(),
               "build the program again, all of it with the same options"}};
  }
  return {std::move(whole), 0, {}};
}

} // namespace

Result<Linked> link_parts(std::vector<Part> parts, LLVMContext &context) {
  Linked linked;
  while (!parts.empty()) {
    Attempt tried = attempt(parts, context);
    if (tried.module) {
      linked.module = std::move(tried.module);
      return linked;
    }
    if (tried.is_fatal)
      return std::unexpected(std::move(tried.why));
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(tried.bad));
    linked.left_out.push_back(std::move(tried.why));
  }
  return std::unexpected(std::move(linked.left_out.front()));
}

} // namespace sartor::compiler
