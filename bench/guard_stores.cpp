// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "guard_stores.h"

namespace sartor::bench {

namespace {

template <class Record>
std::uint64_t step_with(Record &record, std::uint64_t state, std::uint64_t key) {
  const std::uint64_t next = (state ^ (state >> 7)) * key + 1;
  record.value = next;
  return next;
}

template <class Record>
void store_each(std::vector<Record> &records, const std::vector<std::uint64_t> &keys) {
  Record *to = records.data();
  for (const std::uint64_t key : keys)
    to[key].value = key;
}

} // namespace

std::uint64_t step_and_store(PlainRecord &record, std::uint64_t state, std::uint64_t key) {
  return step_with(record, state, key);
}
std::uint64_t step_and_store(WatchedRecord &record, std::uint64_t state, std::uint64_t key) {
  return step_with(record, state, key);
}

void store_all(std::vector<PlainRecord> &records, const std::vector<std::uint64_t> &keys) {
  store_each(records, keys);
}
void store_all(std::vector<WatchedRecord> &records, const std::vector<std::uint64_t> &keys) {
  store_each(records, keys);
}

} // namespace sartor::bench
