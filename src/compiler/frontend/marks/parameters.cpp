// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/frontend/marks/parameters.h"

#include <llvm/Demangle/Demangle.h>
#include <llvm/IR/Constants.h>
#include <llvm/IR/InstIterator.h>
#include <llvm/IR/IntrinsicInst.h>
#include <llvm/IR/Metadata.h>

#include "compiler/frontend/marks/marks.h"
#include "compiler/frontend/scalar.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

constexpr const char *kSignatureMetadata = "sartor.signature";

MDNode *make_node(LLVMContext &context, StringRef annotation) {
  if (!annotation.consume_front(kSignatureAnnotation))
    return nullptr;
  return MDNode::get(context, MDString::get(context, annotation));
}

// Returns the instruction as the intrinsic that annotates a variable, or null.
CallInst *as_annotation(Instruction &instruction) {
  auto *call = dyn_cast<IntrinsicInst>(&instruction);
  return call && call->getIntrinsicID() == Intrinsic::var_annotation ? call : nullptr;
}

// Empty parameters leave no trace in the code, but appear in a mangled name.
bool names_as_many_parameters(const Function &function) {
  ItaniumPartialDemangler name;
  const std::string mangled =
      function.getName().split('.').first.str(); // without Sartor's suffixes
  if (name.partialDemangle(mangled.c_str()))
    return true; // not mangled
  char *text = name.getFunctionParameters(nullptr, nullptr);
  if (!text)
    return false;
  const StringRef list = StringRef(text).drop_front().drop_back();
  unsigned depth = 0;
  unsigned count = list.empty() ? 0 : 1;
  for (const char letter : list) {
    depth += StringRef("(<[{").contains(letter) ? 1 : 0;
    depth -= StringRef(")>]}").contains(letter) ? 1 : 0;
    count += letter == ',' && depth == 0 ? 1 : 0;
  }
  const bool is_complex = list.contains("omplex");
  std::free(text); // NOLINT: the demangler allocates so
  return count == function.arg_size() && !is_complex;
}

// Clang marks only scalars, of the values that are passed directly, as extended or noundef. The
// halves of a complex number look like two scalars.
bool is_surely_scalar(const Argument &argument) {
  return fits_word(*argument.getType()) && !argument.hasPassPointeeByValueCopyAttr() &&
         !argument.hasStructRetAttr() &&
         (argument.hasSExtAttr() || argument.hasZExtAttr() ||
          argument.hasAttribute(Attribute::NoUndef));
}

std::optional<core::Signature> reported_by_the_code(const Function &function) {
  core::Signature signature;
  signature.arguments = static_cast<unsigned>(function.arg_size());
  signature.result.kind = core::Parameter::Kind::unknown;
  if (!names_as_many_parameters(function))
    return std::nullopt;
  const DataLayout &layout = function.getDataLayout();
  const Type *before = nullptr;
  for (const Argument &argument : function.args()) {
    Type *type = argument.getType();
    if (!is_surely_scalar(argument) || (type->isDoubleTy() && before && before->isDoubleTy()))
      return std::nullopt;
    before = type;
    core::Parameter parameter;
    parameter.kind = core::Parameter::Kind::scalar;
    parameter.type = scalar_type(*type, layout, argument.hasSExtAttr(), false);
    parameter.sign_is_known = argument.hasSExtAttr() || argument.hasZExtAttr();
    parameter.bytes = static_cast<unsigned>(layout.getTypeStoreSize(type).getFixedValue());
    parameter.pieces = {{argument.getArgNo(), 0, parameter.bytes}};
    signature.parameters.push_back(std::move(parameter));
  }
  return signature;
}

// A signature is part of the bitcode, which may come from an untrusted source.
bool can_hold(const Function &function, const core::Parameter &parameter, const core::Piece &piece,
              const BoundArgument &bound) {
  if (piece.argument >= function.arg_size())
    return false;
  const Argument &argument = *function.getArg(piece.argument);
  if (!bound.is_object()) {
    const sartor::Value &value = bound.value();
    return is_scalar(*argument.getType()) && !argument.hasPassPointeeByValueCopyAttr() &&
           !value.is_symbol() &&
           (argument.getType()->isFloatingPointTy() ? !value.is_large() : value.is_integer());
  }
  const std::size_t size = bound.bytes().size();
  if (piece.offset > size || piece.bytes > size - piece.offset)
    return false;
  if (parameter.passing == core::Parameter::Passing::direct)
    return argument.getType()->isSingleValueType() && argument.getType()->isSized();
  return argument.getParamByValType() && argument.getParamByValType()->isSized();
}

} // namespace

void read_signatures(Module &module) {
  const GlobalVariable *list = module.getGlobalVariable("llvm.global.annotations");
  if (!list || !list->hasInitializer())
    return;
  for (const Use &row : list->getInitializer()->operands()) {
    const auto *fields = cast<Constant>(row);
    auto *function = dyn_cast<Function>(fields->getOperand(0)->stripPointerCasts());
    const auto text = constant_string(fields->getOperand(1));
    if (function && text)
      set_signature(*function, make_node(module.getContext(), *text));
  }
}

void erase_signatures(Module &module) {
  for (Function &function : module)
    for (Instruction &instruction : make_early_inc_range(instructions(function)))
      if (CallInst *annotation = as_annotation(instruction))
        if (const auto text = constant_string(annotation->getArgOperand(1));
            text && StringRef(*text).starts_with(kSignatureAnnotation))
          annotation->eraseFromParent();
}

MDNode *called_signature(const llvm::Value &variable) {
  for (const User *user : variable.users())
    if (auto *call = dyn_cast<Instruction>(user))
      if (const CallInst *annotation = as_annotation(const_cast<Instruction &>(*call)))
        if (const auto text = constant_string(annotation->getArgOperand(1)))
          if (MDNode *node = make_node(variable.getContext(), *text))
            return node;
  return nullptr;
}

void set_signature(Function &function, MDNode *signature) {
  if (signature)
    function.setMetadata(kSignatureMetadata, signature);
}

void forget_signatures(Module &module) {
  for (Function &function : module)
    function.setMetadata(kSignatureMetadata, nullptr);
}

std::optional<core::Signature> written_signature(const Function &function) {
  const MDNode *node = function.getMetadata(kSignatureMetadata);
  const auto *text = node ? dyn_cast<MDString>(node->getOperand(0)) : nullptr;
  return text ? core::to_signature(text->getString()) : std::nullopt;
}

std::optional<core::Signature> signature_of(const Function &function) {
  if (!function.getMetadata(kSignatureMetadata))
    return reported_by_the_code(function);
  auto signature = written_signature(function);
  return signature && signature->arguments == function.arg_size() ? signature : std::nullopt;
}

FixedArguments fixed_arguments(const Function &function,
                               const std::map<unsigned, BoundArgument> &bound) {
  FixedArguments values;
  const auto signature = bound.empty() ? std::nullopt : signature_of(function);
  if (!signature)
    return values;
  const DataLayout &layout = function.getDataLayout();
  for (const auto &[index, argument] : bound) {
    if (index >= signature->parameters.size())
      continue;
    const core::Parameter &parameter = signature->parameters[index];
    for (const core::Piece &piece : parameter.pieces) {
      if (!can_hold(function, parameter, piece, argument))
        continue;
      Type &type = *function.getArg(piece.argument)->getType();
      if (!argument.is_object()) {
        values[piece.argument] = {to_constant(argument.value(), type)};
        continue;
      }
      std::string bytes = argument.bytes().substr(piece.offset, piece.bytes);
      if (parameter.passing == core::Parameter::Passing::direct) {
        values[piece.argument] = {to_constant(bytes, type, layout)};
        continue;
      }
      bytes.resize(layout.getTypeAllocSize(function.getArg(piece.argument)->getParamByValType()));
      values[piece.argument] = {
          ConstantDataArray::getString(type.getContext(), bytes, /*AddNull=*/false), true};
    }
  }
  return values;
}

GlobalVariable *make_contents(Module &module, const FixedArgument &value,
                              const Argument &argument) {
  auto *contents = new GlobalVariable(module, value.value->getType(), /*isConstant=*/true,
                                      GlobalValue::PrivateLinkage, value.value, "sartor.bound");
  contents->setUnnamedAddr(GlobalValue::UnnamedAddr::Global);
  contents->setAlignment(argument.getParamAlign().valueOrOne());
  return contents;
}

} // namespace sartor::compiler
