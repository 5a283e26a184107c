// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a variant is specialized to, from what the program has said and what was seen.
#include <algorithm>
#include <cstring>

#include "observe/json.h"
#include "point/fit.h"
#include "runtime/impl.h"
#include "runtime/profiling.h"

namespace sartor {

namespace {

bool leans_on(const dispatch::Variant &variant, std::span<const std::uint64_t> promises) {
  return std::ranges::any_of(promises, [&](std::uint64_t promise) {
    return std::ranges::binary_search(variant.code->promises, promise);
  });
}

} // namespace

std::vector<std::uintptr_t>
Runtime::Impl::roots_of(const Configuration &configuration,
                        const std::map<unsigned, BoundArgument> &arguments) const {
  std::vector<std::uintptr_t> roots;
  for (const auto &[name, address] : module->symbols)
    roots.push_back(reinterpret_cast<std::uintptr_t>(address));
  for (const auto &[index, argument] : arguments) {
    if (!argument.is_object()) {
      if (argument.value().is_integer())
        roots.push_back(argument.value().bits());
      continue;
    }
    const std::string &bytes = argument.bytes(); // any aligned word of an object may be a pointer
    for (std::size_t at = 0; at + sizeof(std::uintptr_t) <= bytes.size();
         at += sizeof(std::uintptr_t)) {
      std::uintptr_t word = 0;
      std::memcpy(&word, bytes.data() + at, sizeof word);
      roots.push_back(word);
    }
  }
  for (const auto &[label, setting] : configuration)
    for (const Value &value : setting.values)
      if (value.is_integer())
        roots.push_back(value.bits());
  return roots;
}

Result<specialize::Answers> Runtime::Impl::answers_of(const Point &point, std::size_t most) const {
  const auto tied = ties.find(point.label);
  if (point.reads_memory && !point.is_versioned && tied == ties.end())
    return std::unexpected(Failure{
        ErrorCode::untied_fast_path, point.label,
        point.function + "() reads memory that may change, and nothing tells when",
        "tie the label to an invariant (Runtime::tie), use sartor_fast_path_versioned(), or "
        "declare the function __attribute__((const))"});
  specialize::Answers answers;
  if (tied != ties.end())
    answers.promises = tied->second;
  add_answers(answers, profile_of(point), most, *module);
  return answers;
}

Result<specialize::Context> Runtime::Impl::context_of(const std::string &handler,
                                                      const Configuration &configuration,
                                                      std::map<unsigned, BoundArgument> arguments) {
  specialize::Context context;
  context.handler = handler;
  context.configuration = module->space.restrict(configuration, handler);
  context.arguments = std::move(arguments);
  auto regions =
      invariant::Registry::instance().reachable(roots_of(context.configuration, context.arguments));
  if (!regions)
    return std::unexpected(std::move(regions.error()));
  context.regions = std::move(*regions);
  for (const auto &[label, setting] : context.configuration) {
    const Point &point = *module->space.find(label);
    if (point.kind != PointKind::fast_path)
      continue;
    auto answers = answers_of(point, setting.values.front().bits());
    if (!answers)
      return std::unexpected(std::move(answers.error()));
    context.answers.emplace(label, std::move(*answers));
  }
  if (auto known = add_custom_kinds(context); !known)
    return std::unexpected(std::move(known.error()));
  add_instrumentation(context);
  return context;
}

bool Runtime::Impl::is_native(const specialize::Context &context) const {
  const auto handler = module->find(context.handler);
  return (handler && !(*handler)->native_only.empty()) ||
         (specialize::is_generic(context) && pipeline.passes.empty());
}

Result<void> Runtime::Impl::tie(const std::string &label, std::vector<std::uint64_t> promises) {
  if (!module)
    return {};
  const Point *point = module->space.find(label);
  if (!point)
    return std::unexpected(unknown_label(label, module->space));
  if (!invariant::Registry::instance().hold(promises))
    return std::unexpected(Failure{ErrorCode::bad_invariant, label,
                                   "is tied to an invariant that does not hold",
                                   "declare it anew first"});
  const std::lock_guard lock(mutex);
  ties[label] = std::move(promises);
  forget_results(label);
  return {};
}

void Runtime::Impl::take_out(std::span<const std::uint64_t> promises) {
  const std::lock_guard lock(mutex);
  auto unplug = [&](dispatch::Entry &entry) {
    if (!entry.variant() || !leans_on(*entry.variant(), promises))
      return;
    if (events)
      events->append("replug", {{"handler", entry.handler()}, {"to", "generic"}});
    entry.unplug();
    ++statistics.replugs;
  };
  for (auto &[name, entry] : entries) {
    unplug(*entry);
    const dispatch::RotationPlan *plan = entry->rotation ? entry->rotation->plan() : nullptr;
    if (plan && std::ranges::any_of(plan->lanes, [&](const auto &lane) {
          return lane.variant && leans_on(*lane.variant, promises);
        }))
      entry->rotation->stop();
  }
  for (auto &[key, entry] : bindings)
    unplug(*entry);
  cache->drop_if([&](const dispatch::Variant &variant) { return leans_on(variant, promises); });
  std::erase_if(ties, [&](const auto &tie) {
    return std::ranges::find_first_of(tie.second, promises) != tie.second.end();
  });
}

} // namespace sartor
