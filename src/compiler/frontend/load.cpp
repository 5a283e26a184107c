// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/load.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/DataLayout.h>
#include <llvm/IR/Function.h>
#include <llvm/IR/GlobalVariable.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/Operator.h>
#include <llvm/Linker/Linker.h>

#include <sartor/module.h>

#include "base/result.h"
#include "compiler/frontend/analysis/closure.h"
#include "compiler/frontend/analysis/native_only.h"
#include "compiler/frontend/analysis/pointed_to.h"
#include "compiler/frontend/bitcode.h"
#include "compiler/frontend/context.h"
#include "compiler/frontend/goto_labels.h"
#include "compiler/frontend/marks/call_marks.h"
#include "compiler/frontend/marks/find.h"
#include "compiler/frontend/marks/marks.h"
#include "compiler/frontend/marks/parameters.h"
#include "compiler/frontend/places.h"
#include "compiler/frontend/prepare.h"
#include "compiler/frontend/readable.h"
#include "compiler/frontend/section.h"
#include "core/cache/request_key.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

// Differences of labels are only known when code is generated, so tables of them are not plain
// data.
bool is_plain_data(const GlobalVariable &variable) {
  return variable.isConstant() && variable.hasLocalLinkage() && variable.hasInitializer() &&
         !variable.isThreadLocal() && !variable.use_empty() &&
         !variable.getInitializer()->needsRelocation() && !holds_labels(*variable.getInitializer());
}

char byte_of(const GlobalVariable &variable, std::uint64_t offset) {
  const auto *byte = dyn_cast_or_null<ConstantInt>(ConstantFoldLoadFromConst(
      const_cast<Constant *>(variable.getInitializer()), Type::getInt8Ty(variable.getContext()),
      APInt(64, offset), variable.getDataLayout()));
  return static_cast<char>(byte ? byte->getZExtValue() : 0); // zero for padding
}

} // namespace

std::vector<core::HandlerModule::Constant> keep_constants(Module &module) {
  std::vector<core::HandlerModule::Constant> kept;
  for (GlobalVariable &variable : module.globals()) {
    if (!is_plain_data(variable))
      continue;
    std::string bytes(module.getDataLayout().getTypeAllocSize(variable.getValueType()), '\0');
    for (std::uint64_t at = 0; at < bytes.size(); ++at)
      bytes[at] = byte_of(variable, at);
    variable.setName(kKeptPrefix + variable.getName());
    variable.setLinkage(GlobalValue::AvailableExternallyLinkage);
    variable.setDSOLocal(false);
    kept.push_back({variable.getName().str(), std::move(bytes),
                    static_cast<std::uint32_t>(variable.getAlign().valueOrOne().value())});
  }
  return kept;
}

namespace {

/// The bitcode of one handler file.
struct Part {
  llvm::StringRef bytes;
  std::string name;
  std::span<const sartor_symbol> symbols = {};
};

struct Linked {
  std::unique_ptr<llvm::Module> module;
  std::vector<Failure> left_out; ///< The reasons why parts were left out.
};

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

/// Links the parts into one module. A part that cannot be read, or cannot be linked with those
/// before it, is left out, so that one bad file does not affect the others. Fails if no part is
/// good, as read_module() does.
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

bool is_loose(const Instruction &instruction) {
  const auto *operation = dyn_cast<FPMathOperator>(&instruction);
  return operation && (operation->hasAllowReassoc() || operation->hasAllowReciprocal() ||
                       operation->hasApproxFunc());
}

/// True if the bits of a handler's results depend on how it is compiled, because it or a callee may
/// reorder, approximate or divide by reciprocals (-ffast-math and the like).
bool has_loose_floats(Function &handler, References &references) {
  return llvm::any_of(reachable_functions(handler, references), [](const Function *function) {
    return llvm::any_of(instructions(*function), is_loose);
  });
}

std::string identity_of(std::span<const Part> parts) {
  std::vector<std::string_view> bitcodes;
  for (const Part &part : parts)
    bitcodes.push_back(part.bytes);
  return core::identity_of(bitcodes);
}

// Removes names shared by several static handlers of different files: such a name identifies none
// of them.
void distinguish_handlers(Module &module) {
  std::map<std::string, std::vector<Function *>> by_name;
  for (Function &function : module)
    if (is_handler(function))
      by_name[handler_name(function)].push_back(&function);
  for (const auto &[name, functions] : by_name)
    if (functions.size() > 1)
      for (Function *function : functions)
        name_handler(*function, function->getName());
}

Result<core::HandlerModule> finish(Module &module, bool native_known) {
  distinguish_handlers(module);
  auto space = find_points(module);
  if (!space)
    return std::unexpected(std::move(space.error()));
  core::HandlerModule result;
  result.space = std::move(*space);
  std::set<std::string> loose;
  References references;
  for (Function &function : module)
    if (is_handler(function) && has_loose_floats(function, references))
      loose.insert(handler_name(function));
  repair_places(module);
  prepare(module, native_known);
  repair_places(module);
  for (const Function &function : module)
    if (is_handler(function)) {
      std::string name = handler_name(function);
      const bool has_loose_floats = loose.contains(name);
      result.handlers.push_back({std::move(name), native_name(function), signature_of(function),
                                 native_only_reason(function), has_loose_floats});
    }
  for (const GlobalValue &named : module.global_values())
    if (named.hasExternalWeakLinkage())
      result.may_be_missing.push_back(named.getName().str());
  std::ranges::sort(result.may_be_missing);
  result.bitcode = bitcode_of(module);
  return result;
}

} // namespace

Result<core::HandlerModule> load_embedded(std::span<const sartor_module> modules) {
  if (modules.empty())
    return std::unexpected(Failure{
        ErrorCode::no_handler_module, "this program", "has no handler module embedded",
        "give its handler files to sartor_add_handler() in CMake, or compile them by sartor-cc; "
        "from a static library, the linker takes only files that something refers to"});
  std::vector<Part> parts;
  std::vector<Failure> left_out;
  for (const sartor_module &module : modules)
    if (module.version == SARTOR_MODULE_VERSION)
      parts.push_back(
          {StringRef(reinterpret_cast<const char *>(module.bitcode), module.bitcode_size),
           module.source, std::span(module.symbols, module.symbol_count)});
    else
      left_out.push_back({ErrorCode::bad_bitcode, module.source,
                          "was embedded by another version of Sartor", "build the program again"});
  if (parts.empty())
    return std::unexpected(std::move(left_out.front()));
  Context context;
  auto linked = link_parts(parts, context);
  if (!linked)
    return std::unexpected(std::move(linked.error()));
  auto result = finish(*linked->module, /*native_known=*/true);
  if (!result)
    return result;
  result->identity = identity_of(parts);
  result->left_out = std::move(left_out);
  std::ranges::move(linked->left_out, std::back_inserter(result->left_out));
  result->replaced = core::replaced_in(modules);
  result->resolve(modules);
  return result;
}

Result<core::HandlerModule> load_file(const std::string &name, const std::string &content) {
  Context context;
  auto module = read_module(content, name, context);
  if (!module)
    return std::unexpected(std::move(module.error()));
  if (auto adopted = adopt_file_module(**module); !adopted)
    return std::unexpected(std::move(adopted.error()));
  simplify(**module); // as in the plugin
  release_kept(**module);
  auto kept = keep_constants(**module);
  auto result = finish(**module, /*native_known=*/false);
  if (!result)
    return result;
  result->identity = identity_of(std::array{Part{content, name}});
  result->constants = std::move(kept);
  result->source = name;
  return result;
}

Result<core::HandlerModule> load_kernel_object(const std::string &name, const std::string &object) {
  const auto bitcode = kernel_bitcode(name, object);
  if (!bitcode)
    return std::unexpected(bitcode.error());
  Context context;
  auto module = read_module(*bitcode, name, context);
  if (!module)
    return std::unexpected(std::move(module.error()));
  auto result = finish(**module, /*native_known=*/false);
  if (result) {
    result->source = name;
    result->identity = identity_of(std::array{Part{*bitcode, name}});
  }
  return result;
}

Result<core::HandlerModule> load_program(const std::string &path) {
  auto embedded = embedded_bitcode(path);
  if (!embedded)
    return std::unexpected(std::move(embedded.error()));
  std::vector<Part> parts;
  for (const std::string &bytes : *embedded)
    parts.push_back({bytes, path});
  Context context;
  auto linked = link_parts(parts, context);
  if (!linked)
    return std::unexpected(std::move(linked.error()));
  auto result = finish(*linked->module, /*native_known=*/true);
  if (result) {
    result->source = path;
    result->identity = identity_of(parts);
    result->left_out = std::move(linked->left_out);
  }
  return result;
}

} // namespace sartor::compiler
