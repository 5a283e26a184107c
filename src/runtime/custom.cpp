// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The generators of custom points.
#include "runtime/dispatch/retire.h"
#include "runtime/impl.h"

namespace sartor {

namespace {

/// Serializes a generator: the quick and the full variant are compiled in parallel, and a generator
/// need not be thread-safe. This lock is the only internal one that is held while code of the
/// program runs: no other code takes it.
Generator one_at_a_time(Generator generator) {
  return
      [generator = std::move(generator),
       mutex = std::make_shared<base::UnwatchedMutex<std::mutex>>()](const GeneratorInput &point) {
        const base::MutexLock lock(*mutex);
        return generator(point);
      };
}

/// The last context that has it may be destroyed while a lock is held, and the generator is the
/// program's: so the thread that drops retired objects destroys it.
std::shared_ptr<const core::CustomKind> make_kind(Generator generator, std::uint64_t number) {
  return {new core::CustomKind(one_at_a_time(std::move(generator)), number),
          [](const core::CustomKind *last) {
            runtime::retire(std::shared_ptr<const core::CustomKind>(last));
          }};
}

} // namespace

void Runtime::Impl::add_custom(const std::string &kind, Generator generator,
                               std::vector<Value> choices) {
  if (!is_active() && !is_opening())
    return;
  runtime::begin_retiring(); // must not be called with the lock held
  const base::MutexLock lock(mutex);
  custom_kinds[kind] = make_kind(std::move(generator), ++custom_kinds_added);
  custom_choices[kind] = std::move(choices);
}

Result<void> Runtime::Impl::add_custom_kinds(core::Context &context) const {
  for (const auto &[label, setting] : context.configuration) {
    const Point &point = *module->space.find(label);
    if (point.kind != PointKind::custom)
      continue;
    const auto known = custom_kinds.find(point.custom_kind);
    if (known == custom_kinds.end())
      return std::unexpected(core::unknown_custom_kind(label, point.custom_kind));
    context.custom_kinds.emplace(*known);
  }
  return {};
}

void Runtime::add_custom(std::string kind, Generator generator, std::vector<Value> choices) {
  if (!generator)
    throw Error({ErrorCode::bad_generator, std::move(kind), "is given no generator",
                 "give a function that returns a GeneratedCode"});
  impl_->add_custom(kind, std::move(generator), std::move(choices));
}

} // namespace sartor
