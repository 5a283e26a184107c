// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <stdexcept>

#include "family.h"
#include "folded.h"
#include "handwritten.h"
#include "specialized.h"
#include "tree.h"

namespace lpm {

namespace {

using sartor::bench::Alternative;
using sartor::bench::Samples;

template <class Address>
using Burst = std::function<void(const Address *, std::uint32_t *, std::size_t)>;

/// All lookup methods for one set, specialized to one trace.
template <class Address> class Ways {
public:
  struct Way {
    std::string name;
    Burst<Address> burst;
  };

  Ways(const NamedSet<Address> &named, const std::vector<Address> &addresses)
      : table_(*named.set), rte_(*named.set), folded_(table_) {
    using F = Family<Address>;
    ways_.push_back({way::generic, [this](auto... burst) { F::lookup(table_.table(), burst...); }});
    ways_.push_back({way::rte, [this](auto... burst) { F::rte_lookup(rte_.table(), burst...); }});
    ways_.push_back({way::invariant, [this](auto... burst) { folded_(burst...); }});
    specialize(named, way::fast_path, {0, kDestinations}, addresses);
    for (const std::uint32_t leaf_size : kLeafSizes) {
      const std::string suffix = std::to_string(leaf_size);
      specialize(named, way::tree + suffix, {leaf_size, 0}, addresses);
      specialize(named, way::both + suffix, {leaf_size, kDestinations}, addresses);
      ways_.push_back({way::handwritten + suffix, handwritten<Address>(named.name, leaf_size)});
    }
  }

  [[nodiscard]] const std::vector<Way> &ways() const { return ways_; }

private:
  void specialize(const NamedSet<Address> &named, const std::string &name, Settings settings,
                  const std::vector<Address> &addresses) {
    auto &made = specialized_.emplace_back(
        std::make_unique<Specialized<Address>>(named.set, table_, settings, addresses));
    ways_.push_back({name, [&lookup = *made](auto... burst) { lookup(burst...); }});
  }

  TableOwner<Address> table_;
  typename Family<Address>::RteOwner rte_;
  Folded<Address> folded_;
  std::vector<std::unique_ptr<Specialized<Address>>> specialized_;
  std::vector<Way> ways_;
};

template <class Address>
void look_up(const Burst<Address> &burst, const std::vector<Address> &addresses,
             std::vector<std::uint32_t> &hops) {
  for (std::size_t i = 0; i < addresses.size(); i += kBurst)
    burst(addresses.data() + i, hops.data() + i, std::min(kBurst, addresses.size() - i));
}

} // namespace

template <class Address>
std::vector<Timing> measure(const NamedSet<Address> &set, Workload workload, std::size_t rounds) {
  const auto addresses = trace(
      *set.set, workload, workload == Workload::mixed ? kMixedDestinations : kDestinations, kTrace);
  const Ways<Address> ways(set, addresses);

  std::vector<std::uint32_t> hops(addresses.size());
  std::vector<std::uint32_t> expected(addresses.size());
  look_up(ways.ways().front().burst, addresses, expected);
  std::vector<Alternative> alternatives;
  for (const auto &way : ways.ways()) {
    hops.assign(hops.size(), kNoRoute);
    look_up(way.burst, addresses, hops);
    if (hops != expected)
      throw std::runtime_error("wrong next hops: " + way.name + ", " + set.name);
    alternatives.push_back({way.name, [&] { look_up(way.burst, addresses, hops); }});
  }

  std::vector<Samples> samples = interleave(alternatives, rounds);
  std::vector<Timing> timings;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    for (double &ticks : samples[i])
      ticks /= static_cast<double>(addresses.size());
    timings.push_back({alternatives[i].name, std::move(samples[i])});
  }
  return timings;
}

const Timing &timing(const std::vector<Timing> &timings, const std::string &way) {
  const auto found = std::ranges::find(timings, way, &Timing::way);
  if (found == timings.end())
    throw std::out_of_range("no such way was measured: " + way);
  return *found;
}

const Timing &fastest(const std::vector<Timing> &timings, const std::string &beginning) {
  const Timing *best = nullptr;
  for (const Timing &candidate : timings)
    if (candidate.way.starts_with(beginning) &&
        (!best ||
         sartor::bench::median(candidate.ticks).value < sartor::bench::median(best->ticks).value))
      best = &candidate;
  if (!best)
    throw std::out_of_range("no such way was measured: " + beginning);
  return *best;
}

template std::vector<Timing> measure(const NamedSet<Address4> &, Workload, std::size_t);
template std::vector<Timing> measure(const NamedSet<Address6> &, Workload, std::size_t);

} // namespace lpm
