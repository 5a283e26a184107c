// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LPM_ROUTES_H
#define LPM_ROUTES_H

#include <cstddef>
#include <cstdint>
#include <expected>
#include <filesystem>
#include <iosfwd>
#include <string>
#include <vector>

#include "address.h"

namespace lpm {

/// The answer for an address that no route matches.
inline constexpr std::uint32_t kNoRoute = 0xffff'ffff;
/// The largest next hop: rte_lpm stores 24 bits of it, rte_lpm6 21.
inline constexpr std::uint32_t kLastHop = (1U << 21) - 1;

/// Addresses that begin with the first `length` bits of `prefix` go to `hop`.
template <class Address> struct Route {
  Address prefix = 0;
  unsigned length = 0;
  std::uint32_t hop = 0;

  bool operator==(const Route &) const = default;
};

/// The reason why a set of routes is invalid.
struct RouteError {
  enum class Fault : unsigned char {
    unreadable,          ///< The file cannot be read.
    syntax,              ///< A line that is not "prefix/length hop".
    length_out_of_range, ///< The length exceeds that of an address.
    host_bits,           ///< The prefix has bits set beyond its length.
    hop_out_of_range,    ///< The next hop exceeds kLastHop.
    duplicate,           ///< The same prefix and length occur twice.
  };
  Fault fault;
  std::size_t line; ///< The line of the text, from 1, or the position in the list. 0: the file.
  std::string message;
};

/// A valid set of routes: no duplicates, no bits beyond a prefix. Sorted by prefix, then length.
/// Immutable.
template <class Address> class RouteSet {
public:
  RouteSet() = default;

  static std::expected<RouteSet, RouteError> make(std::vector<Route<Address>> routes);
  /// Parses lines of "prefix/length hop"; skips empty lines and everything after #.
  static std::expected<RouteSet, RouteError> parse(std::istream &text);
  static std::expected<RouteSet, RouteError> read(const std::filesystem::path &file);

  [[nodiscard]] const std::vector<Route<Address>> &routes() const { return routes_; }
  /// The next hop of the default route, or kNoRoute.
  [[nodiscard]] std::uint32_t default_hop() const;
  /// The prefix lengths in the set, longest first, without the default route's 0.
  [[nodiscard]] std::vector<unsigned> lengths() const;
  /// A slow linear lookup, which the other methods are checked against.
  [[nodiscard]] std::uint32_t lookup(Address address) const;

private:
  std::vector<Route<Address>> routes_;
};

/// Formats a route as "prefix/length hop".
template <class Address> std::string text(const Route<Address> &route);

using RouteSet4 = RouteSet<Address4>;
using RouteSet6 = RouteSet<Address6>;

} // namespace lpm

#endif
