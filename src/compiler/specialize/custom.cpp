// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "compiler/specialize/custom.h"

#include <llvm/ADT/STLExtras.h>
#include <llvm/IR/InstrTypes.h>

#include <sartor/read_section.hpp>

#include "compiler/specialize/builder.h"

namespace sartor::compiler {

using namespace llvm;

namespace {

AttributeSet only(LLVMContext &context, AttributeSet all, ArrayRef<Attribute::AttrKind> kept) {
  AttrBuilder builder(context);
  for (const Attribute attribute : all)
    if (attribute.isStringAttribute() || is_contained(kept, attribute.getKindAsEnum()))
      builder.addAttribute(attribute);
  return AttributeSet::get(context, builder);
}

// Keeps the attributes that define how a function is called, without those that describe its
// behavior.
AttributeList of_the_interface(LLVMContext &context, const AttributeList &all, unsigned arguments) {
  static constexpr Attribute::AttrKind kFunction[] = {Attribute::UWTable,
                                                      Attribute::NullPointerIsValid,
                                                      Attribute::StackProtect,
                                                      Attribute::StackProtectReq,
                                                      Attribute::StackProtectStrong,
                                                      Attribute::SpeculativeLoadHardening,
                                                      Attribute::NoImplicitFloat,
                                                      Attribute::NoRedZone};
  static constexpr Attribute::AttrKind kValue[] = {Attribute::ZExt, Attribute::SExt,
                                                   Attribute::InReg};
  SmallVector<AttributeSet, 8> parameters;
  for (unsigned i = 0; i < arguments; ++i)
    parameters.push_back(only(context, all.getParamAttrs(i), kValue));
  return AttributeList::get(context, only(context, all.getFnAttrs(), kFunction),
                            only(context, all.getRetAttrs(), kValue), parameters);
}

// Attributes that LLVM inferred for the wrapper describe its old body.
void forget_inferred(Function &wrapper) {
  LLVMContext &context = wrapper.getContext();
  const auto arguments = static_cast<unsigned>(wrapper.arg_size());
  wrapper.setAttributes(of_the_interface(context, wrapper.getAttributes(), arguments));
  for (User *user : wrapper.users())
    if (auto *call = dyn_cast<CallBase>(user); call && call->getCalledFunction() == &wrapper) {
      call->setAttributes(of_the_interface(context, call->getAttributes(), arguments));
      call->dropUnknownNonDebugMetadata();
    }
}

} // namespace

Result<CustomBuilt> build_custom(Function &wrapper, const Generator &generator,
                                 const CustomPoint &point, const Symbols &symbols) {
  const auto failed = [&](std::string message) {
    return std::unexpected(Failure{ErrorCode::bad_generator, point.label, std::move(message),
                                   "see the generator of kind \"" + point.kind + '"'});
  };
  if (point.setting.values.size() != 1)
    return std::unexpected(Failure{ErrorCode::bad_value_type, point.label,
                                   "is a custom point and set to several values",
                                   "set it to one that its generator understands"});
  forget_inferred(wrapper);
  LlvmBack impl(wrapper, point, symbols);
  try {
    Builder builder(impl);
    // Revoking an invariant that the generator depends on waits for this read section to end.
    const sartor::detail::ReadSection reading;
    generator(builder);
  } catch (const Error &error) {
    // Failures of the builder name the label; other exceptions do not.
    if (!impl.failure)
      return failed(std::string("its generator failed: ") + error.what());
  } catch (const std::exception &error) {
    if (!impl.failure)
      return failed(std::string("its generator threw an exception: ") + error.what());
  } catch (...) {
    if (!impl.failure)
      return failed("its generator threw something that is not a std::exception");
  }
  if (auto finished = impl.finish(); !finished)
    return std::unexpected(std::move(finished.error()));
  return CustomBuilt{std::move(impl.invariants)};
}

} // namespace sartor::compiler
