// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bpf/map_content.h"

#include <atomic>
#include <cerrno>
#include <string_view>

#include <bpf/bpf.h>
#include <sys/mman.h>
#include <unistd.h>

#include "bpf/errors.h"
#include "core/request/kernel_map_kind.h"
#include "core/request/kernel_names.h"

namespace sartor::bpf {

namespace {

constexpr int kTries = 5;

Failure not_read_mostly(const bpf_map &map, const char *why) {
  return {ErrorCode::bad_invariant, bpf_map__name(&map), why,
          "declare an array, a hash or a trie of prefixes, and mark it SARTOR_READ_MOSTLY(map)"};
}

Result<std::vector<core::KernelMap::Entry>> read_entries(const bpf_map &map) {
  const int descriptor = bpf_map__fd(&map);
  std::vector<core::KernelMap::Entry> entries;
  std::string key(bpf_map__key_size(&map), '\0');
  std::string value(bpf_map__value_size(&map), '\0');
  bool is_first = true;
  while (bpf_map_get_next_key(descriptor, is_first ? nullptr : key.data(), key.data()) == 0) {
    is_first = false;
    if (bpf_map_lookup_elem(descriptor, key.data(), value.data()) == 0)
      entries.push_back({key, value});
    else if (errno != ENOENT)
      break;
  }
  if (errno != ENOENT)
    return std::unexpected(from_kernel(bpf_map__name(&map), errno, "cannot be read"));
  return entries;
}

} // namespace

/// The map of versions, mapped into this process.
struct Versions::Memory {
  Memory(int map, std::size_t size)
      : bytes(size), begin(mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, map, 0)) {}
  ~Memory() {
    if (begin != MAP_FAILED)
      munmap(begin, bytes);
  }
  Memory(const Memory &) = delete;
  Memory &operator=(const Memory &) = delete;

  [[nodiscard]] std::atomic_ref<std::uint64_t> word(std::uint32_t offset) const {
    return std::atomic_ref(*reinterpret_cast<std::uint64_t *>(static_cast<char *>(begin) + offset));
  }

  std::size_t bytes;
  void *begin;
};

Result<Versions> Versions::of_object(const bpf_object &object) {
  Versions made;
  bpf_map *map = nullptr;
  bpf_object__for_each_map(map, &object) if (shared_name(*map) == core::kVersionSection) {
    made.map_ = bpf_map__fd(map);
    made.bytes_ = bpf_map__value_size(map);
    for (const auto &[name, place] : variables_in(object, core::kVersionSection))
      if (name.starts_with(core::kVersionPrefix))
        made.places_.emplace(name.substr(std::string_view(core::kVersionPrefix).size()), place);
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    made.memory_ = std::make_shared<Memory>(made.map_, (made.bytes_ + page - 1) / page * page);
    if (made.memory_->begin == MAP_FAILED)
      return std::unexpected(Failure{ErrorCode::kernel_lacks, core::kVersionSection,
                                     "cannot be mapped into memory", "use Linux 5.5 or later"});
  }
  return made;
}

bool Versions::contains(const std::string &map) const { return places_.contains(map); }

std::uint32_t Versions::offset(const std::string &map) const {
  return places_.find(map)->second.offset;
}

std::uint64_t Versions::of(const std::string &map) const {
  return memory_->word(offset(map)).load(std::memory_order_seq_cst);
}

void Versions::increment(const std::string &map) const { ++memory_->word(offset(map)); }

Result<core::KernelMap> read_map(const bpf_map &map, const Versions &versions) {
  const std::string name = bpf_map__name(&map);
  const auto kind = core::kernel_map_kind(bpf_map__type(&map));
  if (!kind)
    return std::unexpected(not_read_mostly(map, "is of a kind whose content does not fold"));
  if (!versions.contains(name))
    return std::unexpected(not_read_mostly(map, "is not marked as read-mostly"));
  core::KernelMap content;
  content.kind = *kind;
  content.key_bytes = bpf_map__key_size(&map);
  content.value_bytes = bpf_map__value_size(&map);
  for (int tries = 0; tries < kTries; ++tries) {
    content.version = versions.of(name);
    auto entries = read_entries(map);
    if (!entries)
      return std::unexpected(std::move(entries.error()));
    if (versions.of(name) != content.version)
      continue;
    content.entries = std::move(*entries);
    return content;
  }
  return std::unexpected(Failure{ErrorCode::bad_invariant, name,
                                 "changes whenever it is read: it is not read-mostly",
                                 "revoke the invariant (BpfRuntime::revoke)"});
}

Result<std::map<std::string, std::string, std::less<>>> read_settings(const bpf_object &object) {
  std::map<std::string, std::string, std::less<>> settings;
  bpf_map *map = nullptr;
  bpf_object__for_each_map(map, &object) if (shared_name(*map) == ".rodata") {
    const auto bytes = variables_of(bpf_map__fd(map));
    if (!bytes)
      return std::unexpected(bytes.error());
    for (const auto &[name, place] : variables_in(object, ".rodata"))
      if (place.offset + place.bytes <= bytes->size())
        settings.emplace(name, bytes->substr(place.offset, place.bytes));
  }
  return settings;
}

} // namespace sartor::bpf
