// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ROUTER_ROUTES_H
#define ROUTER_ROUTES_H

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace router {

/// A network; addresses in host order.
struct Network {
  std::uint32_t prefix = 0;
  unsigned length = 0; ///< Length of the prefix in bits.

  auto operator<=>(const Network &) const = default;
};

/// A line of a route file.
struct RouteLine {
  Network network;
  std::uint32_t gateway = 0;

  bool operator==(const RouteLine &) const = default;
};

/// An invalid route or address.
struct BadRoutes : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The mask of a prefix of `length`.
constexpr std::uint32_t mask_of(unsigned length) {
  return length == 0 ? 0 : ~std::uint32_t{0} << (32 - length);
}

/// `10.1.2.3`.
std::string text_of(std::uint32_t address);
/// Empty if the text is not an address.
std::optional<std::uint32_t> read_address(std::string_view text);
/// Parses an address with the length of its network's prefix, `10.1.2.3/24`. Throws BadRoutes.
Network read_network(std::string_view text);

/// Reads lines `10.1.0.0/16 via 192.0.2.1`; skips everything after a #. Throws BadRoutes, naming
/// `name` and the line, for other lines, for prefix bits beyond the length, and for duplicate
/// prefixes.
std::vector<RouteLine> read_routes(std::istream &in, const std::string &name);
std::vector<RouteLine> read_routes(const std::filesystem::path &path);
void write_routes(std::ostream &out, const std::vector<RouteLine> &routes);

/// Generates `count` distinct routes, the last of them the default route, with prefix lengths as in
/// the Internet's table (most are /24), assigned to `gateways` in turn. None is in 10/8, which is
/// reserved for the networks between routers. Deterministic for each seed.
std::vector<RouteLine> made_up_routes(std::size_t count, std::uint64_t seed,
                                      std::span<const std::uint32_t> gateways);

} // namespace router

#endif
