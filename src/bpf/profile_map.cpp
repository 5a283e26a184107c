// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bpf/profile_map.h"

#include <algorithm>
#include <cerrno>
#include <map>
#include <vector>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/errors.h"
#include "bpf/sketch.h"

namespace sartor::bpf {

namespace {

/// Returns one sketch for each processor.
Result<std::vector<sartor_sketch>> make_sketches() {
  const int processors = libbpf_num_possible_cpus();
  if (processors < 0)
    return std::unexpected(from_kernel("the processors", -processors, "cannot be counted"));
  return std::vector<sartor_sketch>(static_cast<std::size_t>(processors));
}

Result<std::vector<sartor_sketch>> read(int map, std::uint32_t place) {
  auto sketches = make_sketches();
  if (!sketches)
    return sketches;
  if (bpf_map_lookup_elem(map, &place, sketches->data()) != 0)
    return std::unexpected(from_kernel(kProfileMap, errno, "cannot be read"));
  return sketches;
}

bool is_the_same(const sartor_sketch_record &one, const sartor_sketch_record &other) {
  return one.count != 0 && other.count != 0 && std::ranges::equal(one.words, other.words);
}

} // namespace

Result<core::Seen> read_profile_map(int map, std::uint32_t place, const core::Shape &shape) {
  // Words that were torn in one read are not torn in the same way in a second one.
  const auto first = read(map, place);
  const auto again = read(map, place);
  if (!first || !again)
    return std::unexpected(first ? again.error() : first.error());
  core::Seen seen;
  std::map<std::vector<std::uint64_t>, core::Entry> entries;
  for (std::size_t processor = 0; processor < first->size(); ++processor) {
    const sartor_sketch &sketch = (*again)[processor];
    std::uint64_t rarest_forgotten = 0;
    seen.count += sketch.seen;
    for (unsigned i = 0; i < SARTOR_SKETCH_RECORDS; ++i) {
      const sartor_sketch_record &record = sketch.records[i];
      if (!is_the_same((*first)[processor].records[i], record))
        continue;
      rarest_forgotten = std::max(rarest_forgotten, std::uint64_t{record.excess});
      const std::vector<std::uint64_t> inputs(record.words, record.words + shape.inputs);
      core::Entry &entry = entries[inputs];
      const bool is_new = entry.count == 0;
      for (unsigned word = 0; word < shape.words(); ++word) {
        if (!is_new && entry.words[word] != record.words[word])
          entry.extras_known = false;
        entry.words[word] = record.words[word];
      }
      entry.count += record.count - record.excess;
    }
    seen.error += rarest_forgotten;
  }
  std::uint64_t listed = 0;
  for (auto &[inputs, entry] : entries)
    if (entry.count > 0) {
      listed += entry.count;
      seen.entries.push_back(entry);
    }
  seen.other = seen.count - std::min(seen.count, listed);
  return seen;
}

Result<void> clear_profile_map(int map, std::uint32_t points) {
  const auto empty = make_sketches();
  if (!empty)
    return std::unexpected(empty.error());
  for (std::uint32_t place = 0; place < points; ++place)
    if (bpf_map_update_elem(map, &place, empty->data(), BPF_ANY) != 0)
      return std::unexpected(from_kernel(kProfileMap, errno, "cannot be cleared"));
  return {};
}

} // namespace sartor::bpf
