// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/compiler/builder_back.h"

namespace sartor {

const std::string &Builder::label() const noexcept { return impl_->label(); }
const std::string &Builder::kind() const noexcept { return impl_->kind(); }
const std::string &Builder::handler() const noexcept { return impl_->handler(); }
const Value &Builder::setting() const noexcept { return impl_->setting(); }
const PointType &Builder::result_type() const noexcept { return impl_->result_type(); }
const std::vector<PointType> &Builder::argument_types() const noexcept {
  return impl_->argument_types();
}
std::optional<Value> Builder::argument_value(unsigned index) const {
  return impl_->argument_value(index);
}

Builder::Operand Builder::argument(unsigned index) { return impl_->argument(index); }
Builder::Operand Builder::constant(const PointType &type, const Value &value) {
  return impl_->constant(type, value);
}
Builder::Operand Builder::address(const volatile void *memory) {
  return constant(types::pointer, Value(reinterpret_cast<std::uintptr_t>(memory)));
}

Builder::Operand Builder::add(Operand a, Operand b) { return impl_->add(a, b); }
Builder::Operand Builder::subtract(Operand a, Operand b) { return impl_->subtract(a, b); }
Builder::Operand Builder::multiply(Operand a, Operand b) { return impl_->multiply(a, b); }
Builder::Operand Builder::and_(Operand a, Operand b) { return impl_->and_(a, b); }
Builder::Operand Builder::or_(Operand a, Operand b) { return impl_->or_(a, b); }
Builder::Operand Builder::xor_(Operand a, Operand b) { return impl_->xor_(a, b); }
Builder::Operand Builder::shift_left(Operand a, Operand count) {
  return impl_->shift_left(a, count);
}
Builder::Operand Builder::shift_right_logical(Operand a, Operand count) {
  return impl_->shift_right_logical(a, count);
}
Builder::Operand Builder::shift_right_arithmetic(Operand a, Operand count) {
  return impl_->shift_right_arithmetic(a, count);
}
Builder::Operand Builder::zero_extend(Operand a, const PointType &type) {
  return impl_->zero_extend(a, type);
}
Builder::Operand Builder::sign_extend(Operand a, const PointType &type) {
  return impl_->sign_extend(a, type);
}
Builder::Operand Builder::truncate(Operand a, const PointType &type) {
  return impl_->truncate(a, type);
}
Builder::Operand Builder::as(Operand a, const PointType &type) { return impl_->as(a, type); }
Builder::Operand Builder::compare(Predicate predicate, Operand a, Operand b) {
  return impl_->compare(predicate, a, b);
}
Builder::Operand Builder::select(Operand condition, Operand then, Operand otherwise) {
  return impl_->select(condition, then, otherwise);
}
Builder::Operand Builder::hide(Operand a) { return impl_->hide(a); }

Builder::Variable Builder::variable(Operand initial) { return impl_->variable(initial); }
Builder::Operand Builder::get(Variable variable) { return impl_->get(variable); }
void Builder::set(Variable variable, Operand value) { impl_->set(variable, value); }

Builder::Block Builder::block() { return impl_->block(); }
void Builder::enter(Block block) { impl_->enter(block); }
void Builder::jump(Block target) { impl_->jump(target); }
void Builder::branch(Operand condition, Block then, Block otherwise) {
  impl_->branch(condition, then, otherwise);
}
void Builder::switch_on(Operand value, const std::vector<Case> &cases, Block otherwise) {
  impl_->switch_on(value, cases, otherwise);
}
void Builder::result(Operand value) { impl_->result(value); }
Builder::Operand Builder::generic() { return impl_->generic(); }

Builder::Operand Builder::table(const PointType &type, const void *values, std::size_t count) {
  return impl_->table(type, values, count);
}
Builder::Operand Builder::load(const PointType &type, Operand base, Operand index) {
  return impl_->load(type, base, index);
}
Builder::Operand Builder::offset(Operand pointer, Operand bytes) {
  return impl_->offset(pointer, bytes);
}
Builder::Operand Builder::call(const std::string &symbol, const std::optional<PointType> &result,
                               const std::vector<Operand> &arguments) {
  return impl_->call(symbol, result, arguments);
}
Builder::Operand Builder::call(Operand function, const std::optional<PointType> &result,
                               const std::vector<Operand> &arguments) {
  return impl_->call(function, result, arguments);
}
void Builder::depends_on(const Invariant &invariant) { impl_->depends_on(invariant); }
Builder::Operand Builder::source(const CSource &source) { return impl_->source(source); }

void Builder::fail(const std::string &why) const {
  impl_->fail(
      {ErrorCode::bad_generator, label(), why, "see the generator of kind \"" + kind() + '"'});
}

detail::LlvmParts detail::llvm_parts(Builder &builder) {
  return Builder::Impl::of(builder).llvm_parts();
}

void *detail::llvm_value(Builder &builder, const Builder::Operand &operand) {
  return Builder::Impl::of(builder).llvm_value(operand);
}

Builder::Operand detail::operand_of(Builder &builder, void *llvm_value, const PointType &type) {
  return Builder::Impl::of(builder).operand_of(llvm_value, type);
}

} // namespace sartor
