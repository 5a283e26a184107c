// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file DIMENSION COUNT EF K [DELETED]: one unit is a search by hnswlib for the K nearest of COUNT
/// random vectors, DELETED of which are marked as deleted.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include <hnswlib/hnswlib.h>

#include "../work.h"

namespace {

constexpr std::size_t kQueries = 256;
constexpr std::size_t kLinks = 16;
constexpr std::size_t kEffort = 100; // of building

struct Search {
  Search(std::size_t of_dimension, std::size_t count)
      : dimension(of_dimension), space(dimension), index(&space, count, kLinks, kEffort) {}

  std::vector<float> random_vector() {
    std::vector<float> values(dimension);
    for (float &value : values)
      value = static_cast<float>(random_share(&random));
    return values;
  }

  auto find(std::size_t query) {
    return index.searchKnn(queries.data() + (query % kQueries) * dimension, k);
  }

  std::uint64_t random = 88172645463325252;
  std::size_t dimension;
  std::size_t k = 1;
  std::size_t next = 0;
  std::vector<float> queries;
  hnswlib::L2Space space;
  hnswlib::HierarchicalNSW<float> index;
};

std::unique_ptr<Search> search;

} // namespace

int work_begin(int count, char **words) {
  if (count != 4 && count != 5)
    return 0;
  const std::size_t size = std::strtoul(words[1], nullptr, 10);
  search = std::make_unique<Search>(std::strtoul(words[0], nullptr, 10), size);
  for (std::size_t label = 0; label < size; ++label)
    search->index.addPoint(search->random_vector().data(), label);
  search->index.setEf(std::strtoul(words[2], nullptr, 10));
  search->k = std::strtoul(words[3], nullptr, 10);
  const std::size_t deleted = count == 5 ? std::strtoul(words[4], nullptr, 10) : 0;
  for (std::size_t label = 0; label < deleted; ++label)
    search->index.markDelete(label);
  for (std::size_t query = 0; query < kQueries; ++query) {
    const std::vector<float> values = search->random_vector();
    search->queries.insert(search->queries.end(), values.begin(), values.end());
  }
  return 1;
}

void work_run() { search->find(search->next++); }

void work_sum(struct sum *sum) {
  for (std::size_t query = 0; query < kQueries; ++query)
    for (auto found = search->find(query); !found.empty(); found.pop()) {
      const std::pair<float, hnswlib::labeltype> nearest = found.top();
      add_bytes(sum, &nearest.first, sizeof nearest.first);
      add_bytes(sum, &nearest.second, sizeof nearest.second);
      sum->value += static_cast<double>(nearest.first);
    }
}
