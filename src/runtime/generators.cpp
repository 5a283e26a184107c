// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/generators.h"

#include <memory>
#include <mutex>
#include <utility>

#include "runtime/dispatch/retire.h"

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

void Generators::add(const std::string &kind, Generator generator, std::vector<Value> choices) {
  runtime::begin_retiring(); // must not be called with the lock held
  const base::MutexLock lock(mutex_);
  kinds_[kind] = make_kind(std::move(generator), ++added_);
  choices_[kind] = std::move(choices);
}

Result<void> Generators::add_kinds(core::Context &context, const Space &space) const {
  const base::MutexLock lock(mutex_);
  for (const auto &[label, setting] : context.configuration) {
    const Point &point = *space.find(label);
    if (point.kind != PointKind::custom)
      continue;
    const auto known = kinds_.find(point.custom_kind);
    if (known == kinds_.end())
      return std::unexpected(core::unknown_custom_kind(label, point.custom_kind));
    context.custom_kinds.emplace(*known);
  }
  return {};
}

void Generators::add_choices(std::vector<Point> &points) const {
  const base::MutexLock lock(mutex_);
  for (Point &point : points)
    if (auto choices = choices_.find(point.custom_kind);
        point.kind == PointKind::custom && choices != choices_.end())
      point.choices = choices->second;
}

void Generators::clear() {
  const base::MutexLock lock(mutex_);
  kinds_.clear();
}

} // namespace sartor
