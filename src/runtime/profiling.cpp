// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/profiling.h"

#include <algorithm>
#include <bit>
#include <map>
#include <string>

#include "core/profile/order.h"

namespace sartor {

namespace {

constexpr std::size_t kTop = 16;
constexpr double kNearly = 0.9;

// A pointer that is one of `choices` gets its name.
Value to_value(std::uint64_t bits, const PointType &type, const core::HandlerModule &module,
               const std::vector<Value> &choices = {}) {
  switch (type.kind) {
  case PointType::Class::floating:
    return type.bits == 32 ? double{std::bit_cast<float>(static_cast<std::uint32_t>(bits))}
                           : std::bit_cast<double>(bits);
  case PointType::Class::pointer:
    for (const Value &choice : choices)
      if (choice.is_symbol() && module.address_of(choice.symbol()) == bits)
        return choice;
    for (const auto &[name, address] : module.symbols)
      if (bits != 0 && reinterpret_cast<std::uintptr_t>(address) == bits)
        return name;
    return bits;
  default:
    if (!type.is_signed || type.bits >= 64)
      return type.is_signed ? Value(static_cast<std::int64_t>(bits)) : Value(bits);
    return static_cast<std::int64_t>(bits << (64 - type.bits)) >> (64 - type.bits);
  }
}

/// Returns nullopt for a symbol that this program does not have.
std::optional<std::uint64_t> to_bits(const Value &value, const PointType &type,
                                     const core::HandlerModule &module) {
  if (value.is_symbol()) {
    return module.address_of(value.symbol());
  }
  if (value.is_floating())
    return type.bits == 32 ? std::bit_cast<std::uint32_t>(static_cast<float>(value.floating()))
                           : std::bit_cast<std::uint64_t>(value.floating());
  return type.bits < 64 ? value.bits() & ((1ULL << type.bits) - 1) : value.bits();
}

bool is_call(const Point &point) {
  return point.kind == PointKind::fast_path || point.kind == PointKind::custom;
}

std::optional<core::Answer> to_answer(const PointProfile &point, const ProfileEntry &entry,
                                      const core::HandlerModule &module) {
  core::Answer answer;
  const auto result = to_bits(*entry.result, point.type, module);
  if (!result)
    return std::nullopt;
  answer.result = *result;
  for (std::size_t i = 0; i < entry.inputs.size(); ++i) {
    const auto bits = to_bits(entry.inputs[i], point.arguments[i], module);
    if (!bits)
      return std::nullopt;
    answer.inputs.push_back(*bits);
  }
  return answer;
}

} // namespace

PointProfile to_profile(const Point &point, const core::Seen &seen,
                        const core::HandlerModule &module) {
  PointProfile result{point.kind, point.type, point.arguments, seen.count,
                      {},         seen.other, seen.error};
  for (const core::Entry &counted : seen.entries) {
    ProfileEntry entry;
    entry.count = counted.count;
    const std::uint64_t *word = counted.words.data();
    if (!is_call(point))
      entry.inputs.push_back(to_value(*word, point.type, module, point.choices));
    for (const PointType &argument : point.arguments)
      entry.inputs.push_back(to_value(*word++, argument, module));
    if (is_call(point) && point.arguments.empty())
      ++word; // a call without arguments is recorded as one with the argument zero
    if (is_call(point) && counted.extras_known)
      entry.result = to_value(*word, point.type, module);
    if (point.is_versioned)
      entry.version = word[1];
    result.entries.push_back(std::move(entry));
  }
  most_frequent_first(result.entries);
  return result;
}

void add_answers(core::Answers &answers, const PointProfile &seen, std::size_t most,
                 const core::HandlerModule &module) {
  bool is_first = true;
  for (const ProfileEntry &entry : seen.entries)
    if (entry.version && (std::exchange(is_first, false) ||
                          static_cast<std::int64_t>(*entry.version - answers.version) > 0))
      answers.version = *entry.version;
  for (const ProfileEntry &entry : seen.entries) {
    if (answers.list.size() == most)
      return;
    if (entry.result && !entry.inputs.empty() &&
        entry.version.value_or(answers.version) == answers.version)
      if (auto answer = to_answer(seen, entry, module))
        answers.list.push_back(std::move(*answer));
  }
}

bool are_about_as_good(const core::Answers &given, const core::Answers &best,
                       const PointProfile &seen, const core::HandlerModule &module) {
  if (given.list.size() != best.list.size() || given.version != best.version ||
      given.invariants != best.invariants)
    return false;
  std::map<std::vector<std::uint64_t>, std::uint64_t> counts;
  for (const ProfileEntry &entry : seen.entries)
    if (entry.result)
      if (auto answer = to_answer(seen, entry, module))
        counts[std::move(answer->inputs)] += entry.count;
  const auto answered = [&](const core::Answers &answers) {
    std::uint64_t sum = 0;
    for (const core::Answer &answer : answers.list)
      if (const auto count = counts.find(answer.inputs); count != counts.end())
        sum += count->second;
    return static_cast<double>(sum);
  };
  return answered(given) >= kNearly * answered(best);
}

bool depends_on_memory(const Point &point) {
  return point.kind == PointKind::fast_path && (point.reads_memory || point.is_versioned);
}

Result<void> check_answers(const core::Context &context, const Space &space) {
  for (const auto &[label, answers] : context.answers) {
    if (!answers.list.empty())
      continue;
    const Point *point = space.find(label);
    const bool may_be_loaded = !point || !depends_on_memory(*point);
    return std::unexpected(
        Failure{ErrorCode::no_profile, label, "is a fast path at which nothing has been seen",
                std::string("instrument it while the program runs (Runtime::instrument)") +
                    (may_be_loaded ? ", or load a profile" : "")});
  }
  return {};
}

Seen summary(const PointProfile &seen) {
  Seen result{seen.count, seen.error_bound, {}};
  for (std::size_t i = 0; i < std::min(kTop, seen.entries.size()); ++i)
    result.top.push_back({seen.entries[i].inputs, static_cast<double>(seen.entries[i].count) /
                                                      static_cast<double>(seen.count)});
  return result;
}

} // namespace sartor
