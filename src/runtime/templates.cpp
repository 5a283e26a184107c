// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/templates.h"

#include <bit>

namespace sartor {

namespace {

// Returns the bits of a value in its point's type.
std::uint64_t bits_of(const Value &value, const PointType &type) {
  if (type.kind != PointType::Class::floating)
    return value.bits();
  return type.bits == 32 ? std::bit_cast<std::uint32_t>(static_cast<float>(value.floating()))
                         : std::bit_cast<std::uint64_t>(value.floating());
}

} // namespace

std::optional<Fitting> fitting_template(const core::Context &context, const Space &space) {
  if (context.configuration.empty() || !context.arguments.empty() || context.memory ||
      !context.answers.empty() || !context.instrumented.empty() || context.profile ||
      !context.custom_kinds.empty())
    return std::nullopt;
  Fitting fitting{context, {}};
  for (const auto &[label, setting] : context.configuration) {
    const Point *point = space.find(label);
    if (!point || !point->is_operand || setting.values.size() != 1)
      return std::nullopt;
    const bool is_floating = point->type.kind == PointType::Class::floating;
    fitting.values.emplace(label, bits_of(setting.values.front(), point->type));
    fitting.context.configuration.set(
        label, Setting({is_floating ? Value(0.0) : Value(0)}, setting.guarded));
    fitting.context.holes.insert(label);
  }
  return fitting;
}

Result<std::unique_ptr<runtime::Code>> fill(const core::CodeImage &image, const std::string &name,
                                            const std::map<std::string, std::uint64_t> &values,
                                            std::uint64_t *failure_counters,
                                            runtime::Linker &linker) {
  core::CodeImage named = image;
  for (core::Function &function : named.functions)
    if (function.name == named.name)
      function.name = name;
  named.name = name;
  runtime::Linker::Symbols own{{core::kFailureCounters, failure_counters}};
  for (const auto &[label, bits] : values)
    own.emplace(core::hole_symbol(label),
                reinterpret_cast<void *>(bits)); // NOLINT(performance-no-int-to-ptr): no address
  auto code = linker.link(named, own);
  if (code)
    (*code)->origin = core::CodeOrigin::filled;
  return code;
}

Templates::CodeImage Templates::find(const std::string &key) const {
  const auto known = images_.find(key);
  return known == images_.end() ? nullptr : known->second;
}

bool Templates::begin(const std::string &key) {
  return images_.size() < kMost && images_.try_emplace(key).second;
}

} // namespace sartor
