// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bpf/map_copies.h"

#include <cerrno>

#include <bpf/bpf.h>

#include "bpf/errors.h"
#include "bpf/shared_maps.h"

namespace sartor::bpf {

namespace {

// Maps of more keys are not folded either.
constexpr std::size_t kMostEntries = 8192;
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;

bool is_per_processor(bpf_map_type type) {
  return type == BPF_MAP_TYPE_PERCPU_ARRAY || type == BPF_MAP_TYPE_PERCPU_HASH ||
         type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

bool is_array(bpf_map_type type) {
  return type == BPF_MAP_TYPE_ARRAY || type == BPF_MAP_TYPE_PERCPU_ARRAY;
}

/// Redirections, programs, events and the like are not copied: they would lead out of the test run.
bool is_copied(const bpf_map &map) {
  const bpf_map_type type = bpf_map__type(&map);
  const std::string_view name = shared_name(map);
  return bpf_map__fd(&map) >= 0 && !is_constants(name) && !is_own(name) &&
         (is_array(type) || is_per_processor(type) || type == BPF_MAP_TYPE_HASH ||
          type == BPF_MAP_TYPE_LRU_HASH || type == BPF_MAP_TYPE_LPM_TRIE);
}

const bpf_map *find(const bpf_object &object, std::string_view name) {
  const bpf_map *map = nullptr;
  bpf_object__for_each_map(map, &object) if (shared_name(*map) == name) return map;
  return nullptr;
}

std::unexpected<Failure> failed(const bpf_map &map, const char *what) {
  return std::unexpected(from_kernel(bpf_map__name(&map), errno, what));
}

Result<std::map<std::string, std::string>> read(const bpf_map &map) {
  std::map<std::string, std::string> entries;
  std::string key(bpf_map__key_size(&map), '\0');
  std::string value(value_bytes(map), '\0');
  const int number = bpf_map__fd(&map);
  for (const void *before = nullptr;
       entries.size() < kMostEntries && bpf_map_get_next_key(number, before, key.data()) == 0;
       before = key.data())
    if (bpf_map_lookup_elem(number, key.data(), value.data()) == 0)
      entries.insert_or_assign(key, value);
    else if (errno != ENOENT) // removed meanwhile
      return failed(map, "cannot be read");
  return entries;
}

Result<void> write(const bpf_map &map, const std::map<std::string, std::string> &entries) {
  const int number = bpf_map__fd(&map);
  if (!is_array(bpf_map__type(&map))) {
    std::string key(bpf_map__key_size(&map), '\0');
    while (bpf_map_get_next_key(number, nullptr, key.data()) == 0)
      if (bpf_map_delete_elem(number, key.data()) != 0)
        return failed(map, "cannot be emptied");
  }
  for (const auto &[key, value] : entries)
    if (bpf_map_update_elem(number, key.data(), value.data(), BPF_ANY) != 0)
      return failed(map, "cannot be written");
  return {};
}

} // namespace

std::uint64_t value_bytes(const bpf_map &map) {
  const std::uint64_t bytes = bpf_map__value_size(&map);
  return is_per_processor(bpf_map__type(&map))
             ? (bytes + 7) / 8 * 8 * static_cast<std::uint64_t>(libbpf_num_possible_cpus())
             : bytes;
}

bool is_determined(const bpf_map &map) {
  return bpf_map__type(&map) != BPF_MAP_TYPE_LRU_HASH &&
         bpf_map__type(&map) != BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

void create_like(bpf_object &object, const bpf_object &live) {
  bpf_map *map = nullptr;
  bpf_object__for_each_map(map, &object) {
    (void)bpf_map__set_pin_path(map, nullptr);
    const bpf_map *like = find(live, shared_name(*map));
    if (!like || is_constants(shared_name(*map)))
      continue;
    if (bpf_map__value_size(map) != bpf_map__value_size(like))
      (void)bpf_map__set_value_size(map, bpf_map__value_size(like));
    (void)bpf_map__set_max_entries(map, bpf_map__max_entries(like));
    (void)bpf_map__set_map_flags(map, bpf_map__map_flags(like));
  }
}

bool can_be_copied(const bpf_object &object) {
  std::uint64_t bytes = 0;
  const bpf_map *map = nullptr;
  bpf_object__for_each_map(map, &object) {
    const bpf_map_type type = bpf_map__type(map);
    if (type == BPF_MAP_TYPE_SOCKMAP || type == BPF_MAP_TYPE_SOCKHASH)
      return false;
    if (is_copied(*map))
      bytes += (bpf_map__key_size(map) + value_bytes(*map)) * bpf_map__max_entries(map);
  }
  return bytes <= kMostBytes;
}

Result<MapContents> read_maps(const bpf_object &object) {
  MapContents contents;
  const bpf_map *map = nullptr;
  bpf_object__for_each_map(map, &object) {
    if (!is_copied(*map))
      continue;
    auto entries = read(*map);
    if (!entries)
      return std::unexpected(std::move(entries.error()));
    contents.emplace(shared_name(*map), std::move(*entries));
  }
  return contents;
}

Result<void> write_maps(const bpf_object &object, const MapContents &contents) {
  for (const auto &[name, entries] : contents)
    if (const bpf_map *map = find(object, name))
      if (auto written = write(*map, entries); !written)
        return written;
  return {};
}

} // namespace sartor::bpf
