// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "batches.h"

namespace sartor::echo {

namespace {

void set(Configuration &configuration, const char *label, std::uint32_t batch) {
  if (batch != Batches::usual)
    configuration.set(label, unguarded(std::int64_t{batch}));
}

std::uint32_t batch_of(const Configuration &configuration, const char *label) {
  const Setting *setting = configuration.find(label);
  return setting ? static_cast<std::uint32_t>(setting->values.front().integer()) : Batches::usual;
}

} // namespace

Configuration Batches::configuration() const {
  Configuration result;
  set(result, "rx_batch", rx);
  set(result, "queues_batch", queues);
  set(result, "qman_batch", qman);
  return result;
}

std::string Batches::text() const {
  return std::to_string(rx) + '/' + std::to_string(queues) + '/' + std::to_string(qman);
}

std::vector<Batches> all_batches() {
  std::vector<Batches> all;
  for (const std::uint32_t rx : Batches::tried)
    for (const std::uint32_t queues : Batches::tried)
      for (const std::uint32_t qman : Batches::tried)
        all.push_back({rx, queues, qman});
  return all;
}

Batches batches_of(const Configuration &configuration) {
  return {batch_of(configuration, "rx_batch"), batch_of(configuration, "queues_batch"),
          batch_of(configuration, "qman_batch")};
}

} // namespace sartor::echo
