// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/plugin/declared/foreign.h"

#include <llvm/Analysis/ConstantFolding.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/Metadata.h>
#include <llvm/IR/Module.h>

#include "base/result.h"
#include "compiler/frontend/marks/marks.h"
#include "compiler/frontend/marks/parameters.h"
#include "compiler/frontend/prepare.h"
#include "core/space/signature.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

using core::Parameter;

enum RowKind : std::uint64_t { kHandler = 1, kDirect = 2, kFold = 4 };

// The layout of a row: two addresses, of the function and of its name; its kind and its number of
// parameters; for each parameter a class, its bits, its number of arguments, and its bytes.
// (bindings/rust/sartor/src/row.rs)
constexpr std::uint64_t kName = 8;
constexpr std::uint64_t kKind = 16;
constexpr std::uint64_t kCount = 20;
constexpr std::uint64_t kParameters = 24;
constexpr std::uint64_t kParameterSize = 8;

/// Reads the contents of a variable, whatever its type.
class Contents {
public:
  explicit Contents(const GlobalVariable &variable)
      : variable_(variable), layout_(variable.getDataLayout()) {}

  [[nodiscard]] std::uint64_t number(std::uint64_t at, unsigned bytes) const {
    const auto *value = dyn_cast_or_null<ConstantInt>(
        load(IntegerType::get(variable_.getContext(), 8 * bytes), at));
    return value ? value->getZExtValue() : 0;
  }
  [[nodiscard]] Constant *address(std::uint64_t at) const {
    Constant *value = load(PointerType::getUnqual(variable_.getContext()), at);
    return value ? value->stripPointerCasts() : nullptr;
  }

private:
  [[nodiscard]] Constant *load(Type *type, std::uint64_t at) const {
    return ConstantFoldLoadFromConst(const_cast<Constant *>(variable_.getInitializer()), type,
                                     APInt(64, at), layout_);
  }

  const GlobalVariable &variable_;
  const DataLayout &layout_;
};

bool is_of(const Type &type, const Parameter &parameter, unsigned bytes) {
  if (parameter.kind == Parameter::Kind::object)
    return type.isPointerTy() ? bytes == 8 : type.isIntegerTy(8 * bytes);
  switch (parameter.type.kind) {
  case PointType::Class::boolean:
    return type.isIntegerTy(1);
  case PointType::Class::integer:
    return type.isIntegerTy(parameter.type.bits);
  case PointType::Class::floating:
    return parameter.type.bits == 32 ? type.isFloatTy() : type.isDoubleTy();
  case PointType::Class::pointer:
    return type.isPointerTy();
  }
  return false;
}

bool set_class(Parameter &parameter, char letter, unsigned bits) {
  parameter.kind = letter == 'o' ? Parameter::Kind::object : Parameter::Kind::scalar;
  switch (letter) {
  case 's':
  case 'u':
    parameter.type = {PointType::Class::integer, bits, letter == 's'};
    return true;
  case 'b':
    parameter.type = {PointType::Class::boolean, bits, false};
    return true;
  case 'f':
    parameter.type = {PointType::Class::floating, bits, false};
    return true;
  case 'p':
    parameter.type = {PointType::Class::pointer, bits, false};
    return true;
  default:
    return letter == 'o';
  }
}

std::string text_of(char letter, const Parameter &parameter) {
  switch (letter) {
  case 'o':
    return "an object of " + std::to_string(parameter.bytes) + " bytes";
  case 'p':
    return "a pointer";
  case 'b':
    return "bool";
  case 's':
    return "i" + std::to_string(parameter.type.bits);
  default:
    return letter + std::to_string(parameter.type.bits);
  }
}

/// Returns how the source's parameters became arguments of this function, if the row agrees with
/// it.
Result<core::Signature> signature_of(const Contents &row, const Function &function,
                                     const std::string &name) {
  const auto refuse = [&](const std::string &what) {
    return std::unexpected(
        Failure{ErrorCode::wrong_signature, name, what, "pass numbers, references and slices"});
  };
  core::Signature signature;
  signature.arguments = static_cast<unsigned>(function.arg_size());
  signature.result.kind =
      function.getReturnType()->isVoidTy() ? Parameter::Kind::nothing : Parameter::Kind::unknown;
  unsigned next = 0;
  if (function.hasStructRetAttr()) {
    signature.result.kind = Parameter::Kind::object;
    signature.result.passing = Parameter::Passing::address;
    signature.result.bytes = static_cast<unsigned>(
        function.getDataLayout().getTypeAllocSize(function.getParamStructRetType(0)));
    signature.result.pieces = {{next++, 0, signature.result.bytes}};
  }
  const std::uint64_t count = row.number(kCount, 4);
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t at = kParameters + i * kParameterSize;
    const auto words = static_cast<unsigned>(row.number(at + 2, 2));
    Parameter parameter;
    parameter.bytes = static_cast<unsigned>(row.number(at + 4, 4));
    const char letter = static_cast<char>(row.number(at, 1));
    if (!set_class(parameter, letter, static_cast<unsigned>(row.number(at + 1, 1))))
      return refuse("parameter " + std::to_string(i) + " is of no class that is known");
    for (unsigned word = 0; word < words; ++word, ++next) {
      const unsigned bytes = parameter.bytes / words;
      if (next >= function.arg_size() ||
          !is_of(*function.getArg(next)->getType(), parameter, bytes))
        return refuse("parameter " + std::to_string(i) + " is not passed as " +
                      text_of(letter, parameter));
      parameter.pieces.push_back({next, word * bytes, bytes});
    }
    signature.parameters.push_back(std::move(parameter));
  }
  if (next != function.arg_size())
    return refuse("has arguments that no parameter stands for");
  return signature;
}

bool is_row(const GlobalVariable &variable) {
  return variable.getSection() == kFunctionSection && variable.hasInitializer();
}

} // namespace

bool has_rows(const Module &module) { return any_of(module.globals(), is_row); }

void adopt_rows(Module &module) {
  LLVMContext &context = module.getContext();
  for (const GlobalVariable &variable : module.globals()) {
    if (!is_row(variable))
      continue;
    const Contents row(variable);
    auto *function = dyn_cast_or_null<Function>(row.address(0));
    const Constant *text = row.address(kName);
    const auto name = text ? compiler::constant_string(text) : std::nullopt;
    if (!function || !name) {
      context.emitError("sartor: bad_bitcode: \"" + variable.getName() +
                        "\": names no function of this module");
      continue;
    }
    // The attribute only prevented rustc from copying the function to other crates.
    function->removeFnAttr(Attribute::NoInline);
    const std::uint64_t kind = row.number(kKind, 4);
    if (kind & kHandler) {
      auto signature = signature_of(row, *function, *name);
      if (!signature) {
        context.emitError("sartor: " + signature.error().text());
        continue;
      }
      compiler::name_handler(*function, *name);
      compiler::set_signature(
          *function, MDNode::get(context, MDString::get(context, core::to_text(*signature))));
    }
    if (kind & kDirect)
      compiler::make_direct(*function);
    if (kind & kFold)
      function->addFnAttr(compiler::kFoldAttribute);
  }
}

} // namespace sartor::compiler
