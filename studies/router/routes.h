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
  unsigned length = 0; ///< Of the prefix, bits.

  auto operator<=>(const Network &) const = default;
};

/// A line of a route file.
struct RouteLine {
  Network network;
  std::uint32_t gateway = 0;

  bool operator==(const RouteLine &) const = default;
};

/// A route or an address is not as it should be.
struct BadRoutes : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The bits of an address that a prefix of `length` decides.
constexpr std::uint32_t mask_of(unsigned length) {
  return length == 0 ? 0 : ~std::uint32_t{0} << (32 - length);
}

/// `10.1.2.3`.
std::string text_of(std::uint32_t address);
/// Nothing if it is no address.
std::optional<std::uint32_t> read_address(std::string_view text);
/// An address with the length of its network's prefix, `10.1.2.3/24`. Throws BadRoutes.
Network read_network(std::string_view text);

/// Reads lines `10.1.0.0/16 via 192.0.2.1`; what follows a # is not read. Throws BadRoutes, naming
/// `name` and the line, for anything else, for bits of a prefix beyond its length, and for a prefix
/// that came before.
std::vector<RouteLine> read_routes(std::istream &in, const std::string &name);
std::vector<RouteLine> read_routes(const std::filesystem::path &path);
void write_routes(std::ostream &out, const std::vector<RouteLine> &routes);

/// `count` routes, the last of them the default route, with prefix lengths about as the Internet's
/// table has them (most are /24), by `gateways` in turn; no two alike, none in 10/8, which is left
/// for the networks between routers. The same for the same seed.
std::vector<RouteLine> made_up_routes(std::size_t count, std::uint64_t seed,
                                      std::span<const std::uint32_t> gateways);

} // namespace router

#endif
