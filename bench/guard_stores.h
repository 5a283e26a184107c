// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_GUARD_STORES_H
#define SARTOR_BENCH_GUARD_STORES_H

#include <cstdint>
#include <vector>

#include <sartor/watch.h>

namespace sartor::bench {

struct PlainRecord {
  std::uint64_t id = 0;
  std::uint64_t value = 0;
};
struct WatchedRecord {
  std::uint64_t id = 0;
  SARTOR_WATCHED std::uint64_t value = 0;
};

/// The computation of step() in guard_handler.h, and a store.
std::uint64_t step_and_store(PlainRecord &record, std::uint64_t state, std::uint64_t key);
std::uint64_t step_and_store(WatchedRecord &record, std::uint64_t state, std::uint64_t key);

/// Makes one independent store for each key and nothing else, so that the full cost of a check
/// shows.
void store_all(std::vector<PlainRecord> &records, const std::vector<std::uint64_t> &keys);
void store_all(std::vector<WatchedRecord> &records, const std::vector<std::uint64_t> &keys);

} // namespace sartor::bench

#endif
