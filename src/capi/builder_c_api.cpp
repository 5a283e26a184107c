// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "capi/builder_c.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "base/value_json.h"
#include "capi/c_api.h"

using sartor::Builder;

/// The operands that C's numbers stand for: indices into a list, from one.
struct sartor_builder {
  Builder &builder;
  std::vector<Builder::Operand> operands = {};
  std::vector<Builder::Block> blocks = {};
  std::vector<Builder::Variable> variables = {};
  bool refused = false;
  std::string setting_text = {}; ///< Keeps the string that was returned to the caller.

  Builder::Operand operator[](sartor_operand number) const {
    return number - 1U < operands.size() ? operands[number - 1] : Builder::Operand();
  }
  [[nodiscard]] Builder::Block block(sartor_block number) const {
    return number - 1U < blocks.size() ? blocks[number - 1] : Builder::Block();
  }
  [[nodiscard]] Builder::Variable variable(sartor_variable number) const {
    return number - 1U < variables.size() ? variables[number - 1] : Builder::Variable();
  }
};

namespace {

// The Builder keeps the first failure; C continues without exceptions.
template <class Body> void tried(sartor_builder *b, Body body) noexcept {
  if (b->refused)
    return;
  try {
    body(b->builder);
  } catch (const sartor::Error &) {
    b->refused = true;
  }
}

template <class Body> sartor_operand operand(sartor_builder *b, Body body) noexcept {
  sartor_operand number = 0;
  tried(b, [&](Builder &builder) {
    b->operands.push_back(body(builder));
    number = static_cast<sartor_operand>(b->operands.size());
  });
  return number;
}

constexpr sartor::PointType kTypes[] = {
    sartor::types::boolean, sartor::types::u8,  sartor::types::u16, sartor::types::u32,
    sartor::types::u64,     sartor::types::i8,  sartor::types::i16, sartor::types::i32,
    sartor::types::i64,     sartor::types::f32, sartor::types::f64, sartor::types::pointer};

sartor_type c_type(const sartor::PointType &type) {
  const auto *const known = std::ranges::find(kTypes, type);
  return known == std::end(kTypes) ? SARTOR_VOID
                                   : static_cast<sartor_type>(SARTOR_BOOL + (known - kTypes));
}

sartor::PointType type_of(sartor_type type) {
  if (type < SARTOR_BOOL || type > SARTOR_POINTER)
    return {sartor::PointType::Class::integer, 0, false}; // which the builder refuses
  return kTypes[type - SARTOR_BOOL];
}

// Makes an integer from its bits, in the type's own range.
sartor::Value value_of(const sartor::PointType &type, std::int64_t value) {
  if (!type.is_signed && type.bits == 64)
    return static_cast<std::uint64_t>(value);
  return value;
}

using Binary = Builder::Operand (Builder::*)(Builder::Operand, Builder::Operand);
constexpr Binary kOperations[] = {&Builder::add,
                                  &Builder::subtract,
                                  &Builder::multiply,
                                  &Builder::and_,
                                  &Builder::or_,
                                  &Builder::xor_,
                                  &Builder::shift_left,
                                  &Builder::shift_right_logical,
                                  &Builder::shift_right_arithmetic};
using Conversion = Builder::Operand (Builder::*)(Builder::Operand, const sartor::PointType &);
constexpr Conversion kConversions[] = {&Builder::zero_extend, &Builder::sign_extend,
                                       &Builder::truncate, &Builder::as};

} // namespace

sartor::Generator sartor::c_generator(sartor_generator generator, void *user) {
  if (!generator)
    return {};
  return [generator, user](Builder &builder) {
    sartor_builder c{builder};
    if (const int refusal = generator(&c, user); refusal != 0 && !c.refused)
      builder.fail("its generator returned " + std::to_string(refusal));
  };
}

std::vector<sartor::Value> sartor::c_choices(const char *json) {
  const auto listed = or_throw(sartor::parse_json(json));
  std::vector<sartor::Value> values;
  for (const auto &one : listed) {
    auto value = sartor::value_from_json(one);
    if (!listed.is_array() || !value)
      throw sartor::Error({sartor::ErrorCode::bad_json, "choices",
                           sartor::dump(listed) + " is no list of values", "write e.g. [1,2,3]"});
    values.push_back(std::move(*value));
  }
  return values;
}

extern "C" {

sartor_status sartor_add_custom(sartor_runtime *runtime, const char *kind,
                                sartor_generator generator, void *user) {
  return sartor::guarded([&] {
    sartor::need(runtime, "runtime");
    sartor::need(kind, "kind");
    runtime->runtime.add_custom(kind, sartor::c_generator(generator, user));
  });
}

sartor_status sartor_add_custom_choices(sartor_runtime *runtime, const char *kind,
                                        const char *choices, sartor_generator generator,
                                        void *user) {
  return sartor::guarded([&] {
    sartor::need(runtime, "runtime");
    sartor::need(kind, "kind");
    sartor::need(choices, "choices");
    runtime->runtime.add_custom(kind, sartor::c_generator(generator, user),
                                sartor::c_choices(choices));
  });
}

const char *sartor_builder_kind(const sartor_builder *b) { return b->builder.kind().c_str(); }

const char *sartor_builder_handler(const sartor_builder *b) { return b->builder.handler().c_str(); }

const char *sartor_builder_label(const sartor_builder *b) { return b->builder.label().c_str(); }

int sartor_builder_setting(const sartor_builder *b, int64_t *out) {
  const sartor::Value &value = b->builder.setting();
  if (!value.is_integer())
    return 1;
  *out = static_cast<std::int64_t>(value.bits());
  return 0;
}

const char *sartor_builder_setting_text(sartor_builder *b) {
  b->setting_text = b->builder.setting().text();
  return b->setting_text.c_str();
}

sartor_type sartor_builder_result_type(const sartor_builder *b) {
  return c_type(b->builder.result_type());
}

sartor_type sartor_builder_argument_type(const sartor_builder *b, unsigned index) {
  const auto &types = b->builder.argument_types();
  return index < types.size() ? c_type(types[index]) : SARTOR_VOID;
}

sartor_type sartor_builder_type(const sartor_builder *b, sartor_operand operand) {
  return operand - 1U < b->operands.size() ? c_type((*b)[operand].type()) : SARTOR_VOID;
}

unsigned sartor_builder_argument_count(const sartor_builder *b) {
  return static_cast<unsigned>(b->builder.argument_types().size());
}

int sartor_builder_argument_value(sartor_builder *b, unsigned index, uint64_t *out) {
  std::optional<sartor::Value> value;
  tried(b, [&](Builder &builder) { value = builder.argument_value(index); });
  if (!value || !value->is_integer())
    return 1;
  *out = value->bits();
  return 0;
}

sartor_operand sartor_builder_argument(sartor_builder *b, unsigned index) {
  return operand(b, [&](Builder &builder) { return builder.argument(index); });
}

sartor_operand sartor_builder_constant(sartor_builder *b, sartor_type type, int64_t value) {
  const auto made = type_of(type);
  return operand(b,
                 [&](Builder &builder) { return builder.constant(made, value_of(made, value)); });
}

sartor_operand sartor_builder_floating(sartor_builder *b, sartor_type type, double value) {
  return operand(b, [&](Builder &builder) { return builder.constant(type_of(type), value); });
}

sartor_operand sartor_builder_address(sartor_builder *b, const void *memory) {
  return operand(b, [&](Builder &builder) { return builder.address(memory); });
}

sartor_operand sartor_builder_symbol(sartor_builder *b, const char *name) {
  return operand(b, [&](Builder &builder) {
    if (!name)
      builder.fail("its generator gives no symbol");
    return builder.constant(sartor::types::pointer, name);
  });
}

sartor_operand sartor_builder_hide(sartor_builder *b, sartor_operand a) {
  return operand(b, [&](Builder &builder) { return builder.hide((*b)[a]); });
}

sartor_operand sartor_builder_binary(sartor_builder *b, sartor_operation operation,
                                     sartor_operand x, sartor_operand y) {
  return operand(b, [&](Builder &builder) {
    if (static_cast<unsigned>(operation) >= std::size(kOperations))
      builder.fail("its generator asks for an operation that there is not");
    return (builder.*kOperations[operation])((*b)[x], (*b)[y]);
  });
}

sartor_operand sartor_builder_convert(sartor_builder *b, sartor_conversion conversion,
                                      sartor_operand a, sartor_type type) {
  return operand(b, [&](Builder &builder) {
    if (static_cast<unsigned>(conversion) >= std::size(kConversions))
      builder.fail("its generator asks for a conversion that there is not");
    return (builder.*kConversions[conversion])((*b)[a], type_of(type));
  });
}

sartor_operand sartor_builder_compare(sartor_builder *b, sartor_predicate predicate,
                                      sartor_operand x, sartor_operand y) {
  return operand(b, [&](Builder &builder) {
    if (static_cast<unsigned>(predicate) > SARTOR_SIGNED_GREATER_OR_EQUAL)
      builder.fail("its generator asks for a comparison that there is not");
    return builder.compare(static_cast<Builder::Predicate>(predicate), (*b)[x], (*b)[y]);
  });
}

sartor_operand sartor_builder_select(sartor_builder *b, sartor_operand condition,
                                     sartor_operand then, sartor_operand otherwise) {
  return operand(b, [&](Builder &builder) {
    return builder.select((*b)[condition], (*b)[then], (*b)[otherwise]);
  });
}

sartor_variable sartor_builder_variable(sartor_builder *b, sartor_operand initial) {
  sartor_variable number = 0;
  tried(b, [&](Builder &builder) {
    b->variables.push_back(builder.variable((*b)[initial]));
    number = static_cast<sartor_variable>(b->variables.size());
  });
  return number;
}

sartor_operand sartor_builder_get(sartor_builder *b, sartor_variable variable) {
  return operand(b, [&](Builder &builder) { return builder.get(b->variable(variable)); });
}

void sartor_builder_set(sartor_builder *b, sartor_variable variable, sartor_operand value) {
  tried(b, [&](Builder &builder) { builder.set(b->variable(variable), (*b)[value]); });
}

sartor_block sartor_builder_block(sartor_builder *b) {
  sartor_block number = 0;
  tried(b, [&](Builder &builder) {
    b->blocks.push_back(builder.block());
    number = static_cast<sartor_block>(b->blocks.size());
  });
  return number;
}

void sartor_builder_enter(sartor_builder *b, sartor_block block) {
  tried(b, [&](Builder &builder) { builder.enter(b->block(block)); });
}

void sartor_builder_jump(sartor_builder *b, sartor_block target) {
  tried(b, [&](Builder &builder) { builder.jump(b->block(target)); });
}

void sartor_builder_branch(sartor_builder *b, sartor_operand condition, sartor_block then,
                           sartor_block otherwise) {
  tried(b, [&](Builder &builder) {
    builder.branch((*b)[condition], b->block(then), b->block(otherwise));
  });
}

void sartor_builder_switch(sartor_builder *b, sartor_operand value, size_t count,
                           const int64_t *values, const sartor_block *blocks,
                           sartor_block otherwise) {
  tried(b, [&](Builder &builder) {
    std::vector<Builder::Case> cases;
    for (std::size_t i = 0; i < count; ++i)
      cases.push_back({value_of((*b)[value].type(), values[i]), b->block(blocks[i])});
    builder.switch_on((*b)[value], cases, b->block(otherwise));
  });
}

void sartor_builder_result(sartor_builder *b, sartor_operand value) {
  tried(b, [&](Builder &builder) { builder.result((*b)[value]); });
}

sartor_operand sartor_builder_generic(sartor_builder *b) {
  return operand(b, [](Builder &builder) { return builder.generic(); });
}

sartor_operand sartor_builder_table(sartor_builder *b, sartor_type type, const void *values,
                                    size_t count) {
  return operand(b, [&](Builder &builder) { return builder.table(type_of(type), values, count); });
}

sartor_operand sartor_builder_load(sartor_builder *b, sartor_type type, sartor_operand base,
                                   sartor_operand index) {
  return operand(
      b, [&](Builder &builder) { return builder.load(type_of(type), (*b)[base], (*b)[index]); });
}

sartor_operand sartor_builder_offset(sartor_builder *b, sartor_operand pointer,
                                     sartor_operand bytes) {
  return operand(b, [&](Builder &builder) { return builder.offset((*b)[pointer], (*b)[bytes]); });
}

sartor_operand sartor_builder_call(sartor_builder *b, sartor_operand function, sartor_type result,
                                   size_t count, const sartor_operand *arguments) {
  return operand(b, [&](Builder &builder) {
    std::vector<Builder::Operand> given;
    for (std::size_t i = 0; i < count; ++i)
      given.push_back((*b)[arguments[i]]);
    std::optional<sartor::PointType> returned;
    if (result != SARTOR_VOID)
      returned = type_of(result);
    return builder.call((*b)[function], returned, given);
  });
}

sartor_operand sartor_builder_source(sartor_builder *b, const char *text, const char *function,
                                     const char *const *flags) {
  return operand(b, [&](Builder &builder) {
    Builder::CSource source{text, function, {}};
    for (; flags && *flags; ++flags)
      source.flags.emplace_back(*flags);
    return builder.source(source);
  });
}

void sartor_builder_depends_on(sartor_builder *b, const sartor_invariant *invariant) {
  tried(b, [&](Builder &builder) {
    if (!invariant)
      builder.fail("its generator depends on no invariant");
    builder.depends_on(invariant->invariant);
  });
}

int sartor_builder_llvm(sartor_builder *b, void **function, void **generic, void **ir) {
  sartor::detail::LlvmParts parts;
  tried(b, [&](Builder &builder) { parts = sartor::detail::llvm_parts(builder); });
  *function = parts.function;
  *generic = parts.generic;
  *ir = parts.ir;
  return parts.ir ? 0 : 1;
}

void *sartor_builder_llvm_value(sartor_builder *b, sartor_operand operand) {
  void *value = nullptr;
  tried(b, [&](Builder &builder) { value = sartor::detail::llvm_value(builder, (*b)[operand]); });
  return value;
}

sartor_operand sartor_builder_llvm_operand(sartor_builder *b, void *value, sartor_type type) {
  return operand(b, [&](Builder &builder) {
    if (!value)
      builder.fail("its generator gives no value");
    return sartor::detail::operand_of(builder, value, type_of(type));
  });
}

void sartor_builder_fail(sartor_builder *b, const char *why) {
  tried(b, [&](Builder &builder) { builder.fail(why); });
}
}
