// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "generate.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <utility>

namespace lpm {

namespace {

struct Share {
  unsigned length;
  unsigned per_mille;
};

// Prefix-length distributions, rounded from the BGP reports at bgp.potaroo.net (Geoff Huston,
// AS131072: as2.0/bgp-active.html and v6/as2.0/bgp-active.html), 2023 and 2024. Shares below one in
// a thousand are left out.
constexpr Share kInternet4[] = {{24, 600}, {23, 102}, {22, 114}, {21, 53}, {20, 46}, {19, 27},
                                {18, 15},  {17, 9},   {16, 14},  {15, 4},  {14, 6},  {13, 4},
                                {12, 3},   {11, 1},   {10, 1},   {8, 1}};
constexpr Share kInternet6[] = {{48, 450}, {32, 125}, {44, 95}, {40, 85}, {36, 55}, {29, 45},
                                {46, 30},  {47, 20},  {33, 18}, {34, 15}, {45, 14}, {38, 10},
                                {42, 12},  {35, 6},   {37, 4},  {39, 4},  {28, 4},  {30, 4},
                                {31, 2},   {24, 1},   {20, 1}};

template <class Address> std::span<const Share> internet_shares();
template <> std::span<const Share> internet_shares<Address4>() { return kInternet4; }
template <> std::span<const Share> internet_shares<Address6>() { return kInternet6; }

/// A random number generator with the same results for every standard library.
template <class Address> class Random {
public:
  explicit Random(std::uint64_t seed) : bits_(seed) {}

  Address address() {
    if constexpr (sizeof(Address) == 4)
      return static_cast<Address>(bits_());
    else {
      const std::uint64_t high = bits_();
      return address6(high, bits_());
    }
  }
  std::uint64_t below(std::uint64_t bound) { return bits_() % bound; }
  /// A number in [0, 1).
  double fraction() { return static_cast<double>(bits_() >> 11) * 0x1p-53; }

private:
  std::mt19937_64 bits_;
};

/// A publicly assigned address: IPv4 1.0.0.0 to 223.255.255.255, IPv6 2000::/3.
template <class Address> Address public_address(Random<Address> &random) {
  Address address = random.address();
  if constexpr (sizeof(Address) == 4) {
    while (address >> 24 == 0 || address >> 24 >= 224)
      address = random.address();
    return address;
  } else {
    return (address & ~mask<Address>(3)) | Address{1} << 125;
  }
}

/// A route of the given length inside `parent`, or anywhere.
template <class Address>
Route<Address> random_route(Random<Address> &random, unsigned length,
                            const Route<Address> *parent) {
  Address address = public_address(random);
  if (parent)
    address = parent->prefix | (address & ~mask<Address>(parent->length));
  return {address & mask<Address>(length), length,
          static_cast<std::uint32_t>(1 + random.below(kHops))};
}

/// Adds distinct routes until there are enough.
template <class Address> class Collector {
public:
  bool add(const Route<Address> &route) {
    if (!seen_.emplace(route.length, route.prefix).second)
      return false;
    routes_.push_back(route);
    return true;
  }
  [[nodiscard]] const std::vector<Route<Address>> &routes() const { return routes_; }
  [[nodiscard]] RouteSet<Address> set() const {
    auto set = RouteSet<Address>::make(routes_);
    if (!set)
      throw std::logic_error("generated routes: " + set.error().message);
    return *std::move(set);
  }

private:
  std::set<std::pair<unsigned, Address>> seen_;
  std::vector<Route<Address>> routes_;
};

/// The length of route i when lengths are dealt in turn.
template <class Address> unsigned dealt_length(std::size_t i) {
  if constexpr (sizeof(Address) == 4)
    return 32 - static_cast<unsigned>(i % 25);
  else
    return i % 46 == 0 ? 128 : 65 - static_cast<unsigned>(i % 46);
}

/// The number of routes of one length that cover a sixty-fourth of all addresses, so that the
/// default route keeps some.
constexpr std::size_t most_routes(unsigned length) {
  return length > 30 ? std::size_t{1} << 24 : (std::size_t{1} << length) / 64;
}

template <class Address> Address inside(Random<Address> &random, const Route<Address> &route) {
  return route.prefix | (random.address() & ~mask<Address>(route.length));
}

} // namespace

template <class Address> RouteSet<Address> workload_routes(std::size_t count) {
  Random<Address> random(count);
  Collector<Address> collector;
  collector.add({});
  std::array<std::size_t, bits<Address> + 1> taken{};
  for (std::size_t deal = 0; collector.routes().size() <= count; ++deal) {
    const unsigned length = dealt_length<Address>(deal);
    if (taken[length] < most_routes(length) &&
        collector.add(random_route<Address>(random, length, nullptr)))
      ++taken[length];
  }
  return collector.set();
}

template <class Address> RouteSet<Address> internet_routes(std::size_t count) {
  Random<Address> random(count + 1);
  std::vector<unsigned> lengths;
  const std::span<const Share> shares = internet_shares<Address>();
  const auto total =
      std::accumulate(shares.begin(), shares.end(), 0U,
                      [](unsigned sum, Share share) { return sum + share.per_mille; });
  for (std::size_t i = 0; i < count; ++i) {
    auto pick = static_cast<unsigned>(random.below(total));
    const Share *share = shares.data();
    for (; pick >= share->per_mille; ++share)
      pick -= share->per_mille;
    lengths.push_back(share->length);
  }
  // Shorter routes come first, so that longer ones can be placed inside them.
  std::ranges::sort(lengths);
  Collector<Address> collector;
  collector.add({});
  for (const unsigned length : lengths)
    for (bool added = false; !added;) {
      const auto &routes = collector.routes();
      const Route<Address> &parent = routes[random.below(routes.size())];
      const bool within = parent.length != 0 && parent.length < length && random.below(2) == 0;
      added = collector.add(random_route(random, length, within ? &parent : nullptr));
    }
  return collector.set();
}

template <class Address> RouteSet<Address> random_routes(std::size_t count, std::uint64_t seed) {
  Random<Address> random(seed);
  Collector<Address> collector;
  while (collector.routes().size() < count) {
    const auto length = static_cast<unsigned>(random.below(bits<Address> + 1));
    const auto &routes = collector.routes();
    Route<Address> route = {random.address() & mask<Address>(length), length,
                            static_cast<std::uint32_t>(random.below(kHops))};
    // Most routes are placed near others, so that they interact: inside, around, next to them, and
    // at their ends.
    if (!routes.empty() && random.below(4) != 0)
      route.prefix = (routes[random.below(routes.size())].prefix + random.below(3) - 1) &
                     mask<Address>(length);
    collector.add(route);
  }
  return collector.set();
}

template <class Address>
std::vector<Address> trace(const RouteSet<Address> &set, Workload workload,
                           std::size_t destinations, std::size_t count) {
  Random<Address> random(destinations);
  std::vector<Route<Address>> longest = set.routes();
  const std::vector<unsigned> lengths = set.lengths();
  std::erase_if(longest, [&](const auto &route) {
    return !lengths.empty() && route.length != lengths.front();
  });
  std::vector<Address> targets;
  while (targets.size() < destinations) {
    const auto &routes = workload == Workload::specific ? longest : set.routes();
    const auto &route = routes[random.below(routes.size())];
    if (workload == Workload::specific || (workload == Workload::mixed && random.below(2) == 0)) {
      targets.push_back(inside(random, route));
      continue;
    }
    const Address address = public_address(random);
    if (workload == Workload::mixed ||
        std::ranges::none_of(set.routes(), [&](const Route<Address> &other) {
          return other.length != 0 && (address & mask<Address>(other.length)) == other.prefix;
        }))
      targets.push_back(address);
  }

  // Zipf's law: destination k has popularity 1 / k, if popularities differ.
  std::vector<double> until;
  for (std::size_t k = 1; k <= destinations; ++k)
    until.push_back((until.empty() ? 0 : until.back()) +
                    (workload == Workload::mixed ? 1.0 / static_cast<double>(k) : 1.0));
  std::vector<Address> addresses;
  for (std::size_t i = 0; i < count; ++i) {
    const auto at = std::ranges::upper_bound(until, random.fraction() * until.back());
    addresses.push_back(targets[std::min<std::size_t>(at - until.begin(), destinations - 1)]);
  }
  return addresses;
}

template <class Address> NamedSet<Address> workload_set(std::size_t count) {
  return {"workload_" + std::to_string(count),
          std::make_shared<const RouteSet<Address>>(workload_routes<Address>(count))};
}

template <class Address> NamedSet<Address> internet_set() {
  return {"internet_" + std::to_string(kInternetRoutes),
          std::make_shared<const RouteSet<Address>>(internet_routes<Address>(kInternetRoutes))};
}

template <class Address> std::vector<NamedSet<Address>> study_sets() {
  std::vector<NamedSet<Address>> sets;
  for (const std::size_t size : kSizes)
    sets.push_back(workload_set<Address>(size));
  sets.push_back(internet_set<Address>());
  return sets;
}

template NamedSet<Address4> workload_set(std::size_t);
template NamedSet<Address6> workload_set(std::size_t);
template NamedSet<Address4> internet_set();
template NamedSet<Address6> internet_set();
template std::vector<NamedSet<Address4>> study_sets();
template std::vector<NamedSet<Address6>> study_sets();
template RouteSet4 workload_routes(std::size_t);
template RouteSet6 workload_routes(std::size_t);
template RouteSet4 internet_routes(std::size_t);
template RouteSet6 internet_routes(std::size_t);
template RouteSet4 random_routes(std::size_t, std::uint64_t);
template RouteSet6 random_routes(std::size_t, std::uint64_t);
template std::vector<Address4> trace(const RouteSet4 &, Workload, std::size_t, std::size_t);
template std::vector<Address6> trace(const RouteSet6 &, Workload, std::size_t, std::size_t);

} // namespace lpm
