// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "guard_stores.h"

namespace sartor::bench {

void store_all(std::vector<PlainRecord> &records, const std::vector<std::uint64_t> &keys) {
  PlainRecord *to = records.data();
  for (const std::uint64_t key : keys)
    to[key].value = key;
}

void store_all(std::vector<WatchedRecord> &records, const std::vector<std::uint64_t> &keys) {
  WatchedRecord *to = records.data();
  for (const std::uint64_t key : keys)
    to[key].value = key;
}

} // namespace sartor::bench
