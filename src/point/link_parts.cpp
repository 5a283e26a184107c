// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "point/link_parts.h"

#include <algorithm>

#include <llvm/Linker/Linker.h>

#include "point/diagnostics.h"
#include "point/native_only.h"
#include "point/read_module.h"

namespace sartor::point {

using namespace llvm;

namespace {

// The linker has preferred other definitions of some names, or another library's have come first.
void leave_replaced(Module &part, std::span<const sartor_symbol> symbols) {
  for (const sartor_symbol &symbol : symbols)
    if (symbol.own && symbol.own != symbol.address)
      if (Function *function = part.getFunction(symbol.name)) {
        keep_native(*function, "the program has another definition of it in force");
        function->removeFnAttr(Attribute::NoUnwind); // which is known of this one only
      }
}

Result<std::unique_ptr<Module>> read(const Part &part, LLVMContext &context) {
  auto module = read_module(part.bytes, part.name, context);
  if (module)
    leave_replaced(**module, part.symbols);
  return module;
}

// The linker takes what is only known, not defined, where it has a declaration already.
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

// The same file twice, with variables of its own each time, to which the same names are given.
bool are_twins(const Part &a, const Part &b) {
  return a.bytes == b.bytes &&
         !std::ranges::equal(a.symbols, b.symbols, {}, &sartor_symbol::address,
                             &sartor_symbol::address);
}

/// A module, or the part because of which there is none.
struct Attempt {
  std::unique_ptr<Module> module;
  std::size_t bad = 0;
  Failure why;
};

Attempt attempt(std::span<const Part> parts, LLVMContext &context) {
  Diagnostics diagnostics(context);
  std::unique_ptr<Module> whole;
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
    parts.erase(parts.begin() + static_cast<std::ptrdiff_t>(tried.bad));
    linked.left_out.push_back(std::move(tried.why));
  }
  return std::unexpected(std::move(linked.left_out.front()));
}

} // namespace sartor::point
