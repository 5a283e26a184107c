// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Invariant maps of a BPF runtime.
#include <algorithm>
#include <cerrno>

#include <bpf/bpf.h>

#include "bpf/errors.h"
#include "bpf/impl.h"
#include "bpf/map_copies.h"
#include "core/space/fit.h"

namespace sartor {

namespace {

bool have_equal_entries(const core::KernelMap &one, const core::KernelMap &other) {
  return std::ranges::equal(one.entries, other.entries, [](const auto &a, const auto &b) {
    return a.key == b.key && a.value == b.value;
  });
}

} // namespace

std::string_view to_string(BpfWriters writers) {
  switch (writers) {
  case BpfWriters::ours:
    return "ours";
  case BpfWriters::watched:
    return "watched";
  case BpfWriters::polled:
    return "polled";
  }
  return {};
}

std::set<std::uint32_t> BpfRuntime::Impl::own_programs() const {
  std::set<std::uint32_t> ours = replaced;
  for (const auto &[name, entry] : entries) {
    ours.insert(entry.generic.program);
    ours.insert(entry.reported().program);
  }
  for (const auto &[key, variant] : kept)
    ours.insert(variant->reported().program);
  return ours;
}

Result<bpf_map *> BpfRuntime::Impl::find_map(const std::string &name) const {
  bpf_map *map = generic.map(name);
  if (!map)
    return std::unexpected(Failure{ErrorCode::bad_bpf_object, name, "is no map of this object",
                                   "see BpfRuntime::maps()"});
  return map;
}

Result<std::shared_ptr<const core::KernelMemory>> BpfRuntime::Impl::read_memory() {
  give_up_unseen();
  auto memory = std::make_shared<core::KernelMemory>();
  memory->settings = settings;
  for (const auto &[name, writers] : invariant_writers) {
    const auto known = last_read.find(name);
    if (known != last_read.end() && writers != BpfWriters::polled &&
        known->second.version == versions.of(name)) {
      memory->maps.emplace(*known);
      continue;
    }
    auto now = bpf::read_map(*generic.map(name), versions);
    // Variants of another content must have another version: some are kept for reactivation.
    if (now && known != last_read.end() && known->second.version == now->version &&
        !have_equal_entries(*now, known->second)) {
      versions.increment(name);
      now = bpf::read_map(*generic.map(name), versions);
    }
    if (!now)
      return std::unexpected(std::move(now.error()));
    memory->maps.emplace(name, std::move(*now));
  }
  last_read = memory->maps;
  return memory;
}

Result<void> BpfRuntime::Impl::add_ties(core::Context &context) const {
  std::map<std::string, std::string, std::less<>> tied;
  for (const auto &[label, map] : ties) {
    if (!context.configuration.find(label))
      continue;
    if (!context.kernel->maps.contains(map))
      return std::unexpected(
          Failure{ErrorCode::bad_invariant, label,
                  "is tied to map " + map + ", which is not declared invariant",
                  "declare it (BpfRuntime::declare_invariant), or leave the label generic"});
    tied.emplace(label, map);
  }
  if (tied.empty()) // the content of maps is shared by all handlers
    return {};
  auto memory = std::make_shared<core::KernelMemory>(*context.kernel);
  memory->tied = std::move(tied);
  context.kernel = std::move(memory);
  return {};
}

// Each function that this watch attaches to takes the place of the pinned watch of an earlier
// process, which counts the changes of all of its maps for a variant that is still attached.
Result<void> BpfRuntime::Impl::count_pinned_maps() {
  if (options.pins.empty())
    return {};
  bpf_map *map = nullptr;
  bpf_object__for_each_map(map, &generic.get()) {
    if (!versions.contains(bpf_map__name(map)))
      continue;
    if (auto counted = watch->count(*map, versions); !counted)
      return counted;
  }
  return {};
}

Result<void> BpfRuntime::Impl::declare_invariant(const std::string &name, BpfWriters writers) {
  const auto map = find_map(name);
  if (!map)
    return std::unexpected(map.error());
  if (const auto content = bpf::read_map(**map, versions); !content)
    return std::unexpected(content.error());
  if (writers == BpfWriters::polled && !options.pins.empty())
    return std::unexpected(
        Failure{ErrorCode::bad_invariant, name,
                "is polled by this process, but pinned programs stay active after the process ends",
                "leave out the pins, or have it watched"});
  if (writers == BpfWriters::watched) {
    if (!watch) {
      auto begun = bpf::Watch::begin(versions);
      if (!begun)
        return std::unexpected(std::move(begun.error()));
      watch.emplace(std::move(*begun));
      if (auto counted = count_pinned_maps(); !counted)
        return counted;
    }
    if (auto added =
            watch->add(**map, versions, options.pins, bpf::other_users_of(**map, own_programs()));
        !added)
      return added;
  }
  if (invariant_writers.contains(name)) // code of an earlier declaration may be active
    versions.increment(name);
  invariant_writers[name] = writers;
  given_up.erase(name);
  last_read.erase(name); // it may have changed before it was watched
  return {};
}

Result<void> BpfRuntime::Impl::write(const std::string &name, std::size_t key_bytes,
                                     std::optional<std::size_t> value_bytes,
                                     const std::function<int(int map)> &call) {
  const auto map = find_map(name);
  if (!map)
    return std::unexpected(map.error());
  if (key_bytes != bpf_map__key_size(*map) ||
      (value_bytes && *value_bytes != bpf::value_bytes(**map)))
    return std::unexpected(Failure{ErrorCode::bad_bpf_object, name,
                                   "has keys or values of other sizes than were given",
                                   "see BpfRuntime::maps()"});
  const bool has_version = versions.contains(name);
  if (has_version)
    versions.increment(name);
  const int error = call(bpf_map__fd(*map)) == 0 ? 0 : errno;
  if (has_version)
    versions.increment(name);
  if (error != 0)
    return std::unexpected(bpf::from_kernel(name, error, "cannot be changed"));
  return {};
}

void BpfRuntime::Impl::give_up_unseen() {
  if (!watch || watch->sees_programs())
    return;
  for (auto each = invariant_writers.begin(); each != invariant_writers.end();) {
    const auto &[name, writers] = *each;
    const auto others = writers == BpfWriters::watched
                            ? bpf::other_users_of(*generic.map(name), own_programs())
                            : std::vector<std::string>();
    if (others.empty()) {
      ++each;
      continue;
    }
    given_up[name] = "map " + name +
                     " is no longer invariant: only system calls are watched, and " +
                     "this program uses it now: " + others.front();
    versions.increment(name); // code that depends on it is deactivated
    each = invariant_writers.erase(each);
  }
}

Result<bool> BpfRuntime::Impl::is_stale() {
  if (!depended_on)
    return false;
  give_up_unseen();
  for (const auto &[name, then] : depended_on->maps) {
    const auto writers = invariant_writers.find(name);
    if (writers != invariant_writers.end() && writers->second == BpfWriters::polled) {
      const auto now = bpf::read_map(*generic.map(name), versions);
      if (!now)
        return std::unexpected(now.error());
      if (now->version == then.version && !have_equal_entries(*now, then))
        versions.increment(name);
    }
    if (versions.of(name) != then.version)
      return true;
  }
  return false;
}

void BpfRuntime::declare_invariant(const std::string &map, BpfWriters writers) {
  const std::lock_guard lock(impl_->mutex);
  if (impl_->compiler)
    or_throw(impl_->declare_invariant(map, writers));
}

void BpfRuntime::tie(const std::string &label, const std::string &map) {
  const std::lock_guard lock(impl_->mutex);
  if (!impl_->compiler)
    return;
  if (!space().find(label))
    throw Error(unknown_label(label, space()));
  or_throw(impl_->find_map(map));
  impl_->ties[label] = map;
}

void BpfRuntime::add_custom(const std::string &kind, Generator generator,
                            std::vector<Value> choices) {
  if (!generator)
    throw Error({ErrorCode::bad_generator, kind, "is given no generator",
                 "give a function that returns a GeneratedCode"});
  const std::lock_guard lock(impl_->mutex);
  auto &known = impl_->custom_kinds[kind];
  known =
      std::make_shared<const core::CustomKind>(std::move(generator), known ? known->number + 1 : 1);
  std::vector<Point> points = space().points();
  for (Point &point : points)
    if (point.kind == PointKind::custom && point.custom_kind == kind)
      point.choices = choices;
  impl_->space = Space(std::move(points));
}

void BpfRuntime::revoke(const std::string &map) {
  const std::lock_guard lock(impl_->mutex);
  impl_->invariant_writers.erase(map);
  impl_->given_up.erase(map);
  if (impl_->versions.contains(map)) // code that depends on it is deactivated
    impl_->versions.increment(map);
}

void BpfRuntime::update(const std::string &map, std::string_view key, std::string_view value) {
  const std::lock_guard lock(impl_->mutex);
  or_throw(impl_->write(map, key.size(), value.size(), [&](int descriptor) {
    return bpf_map_update_elem(descriptor, key.data(), value.data(), BPF_ANY);
  }));
}

void BpfRuntime::erase(const std::string &map, std::string_view key) {
  const std::lock_guard lock(impl_->mutex);
  or_throw(impl_->write(map, key.size(), std::nullopt, [&](int descriptor) {
    return bpf_map_delete_elem(descriptor, key.data());
  }));
}

bool BpfRuntime::refresh() {
  const std::lock_guard lock(impl_->mutex);
  if (!or_throw(impl_->is_stale()))
    return false;
  or_throw(impl_->specialize(impl_->configuration, impl_->instrumented));
  return true;
}

std::vector<BpfMap> BpfRuntime::maps() const {
  const std::lock_guard lock(impl_->mutex);
  const std::set<std::uint32_t> ours = impl_->own_programs();
  std::vector<BpfMap> found;
  bpf_map *map = nullptr;
  bpf_object__for_each_map(map, &impl_->generic.get()) {
    if (bpf_map__is_internal(map))
      continue;
    BpfMap reported{bpf_map__name(map), bpf_map__key_size(map), bpf_map__value_size(map),
                    bpf_map__max_entries(map), impl_->versions.contains(bpf_map__name(map))};
    if (const auto invariant = impl_->invariant_writers.find(reported.name);
        invariant != impl_->invariant_writers.end())
      reported.invariant_writers = invariant->second;
    reported.sees_programs =
        reported.invariant_writers == BpfWriters::watched && impl_->watch->sees_programs();
    reported.other_programs = bpf::other_users_of(*map, ours);
    found.push_back(std::move(reported));
  }
  return found;
}

} // namespace sartor
