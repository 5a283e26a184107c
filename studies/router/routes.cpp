// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "routes.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>

#include <arpa/inet.h>

namespace router {

namespace {

/// Prefix lengths per thousand, approximately as in the public BGP tables of 2024.
constexpr std::array<std::pair<unsigned, unsigned>, 13> shape{{{24, 610},
                                                               {23, 100},
                                                               {22, 115},
                                                               {21, 52},
                                                               {20, 45},
                                                               {19, 26},
                                                               {18, 14},
                                                               {17, 9},
                                                               {16, 14},
                                                               {15, 5},
                                                               {14, 4},
                                                               {13, 3},
                                                               {12, 3}}};

} // namespace

std::string text_of(std::uint32_t address) {
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8)
    text += std::to_string(address >> shift & 0xff) + (shift == 0 ? "" : ".");
  return text;
}

std::optional<std::uint32_t> read_address(std::string_view text) {
  in_addr address{};
  if (inet_pton(AF_INET, std::string(text).c_str(), &address) != 1)
    return {};
  return ntohl(address.s_addr);
}

Network read_network(std::string_view text) {
  const std::size_t slash = text.find('/');
  const std::optional<std::uint32_t> address = read_address(text.substr(0, slash));
  if (!address || slash == std::string_view::npos)
    throw BadRoutes("\"" + std::string(text) + "\" is no network; write it as 192.0.2.0/24");
  unsigned length = 0;
  const std::string_view digits = text.substr(slash + 1);
  // NOLINTNEXTLINE(bugprone-suspicious-stringview-data-usage): from_chars() takes both ends
  const auto [last, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
  if (error != std::errc() || last != digits.data() + digits.size() || length > 32)
    throw BadRoutes("\"" + std::string(digits) + "\" is no length of a prefix; it is 0 to 32");
  return {*address, length};
}

std::vector<RouteLine> read_routes(std::istream &in, const std::string &name) {
  std::vector<RouteLine> routes;
  std::map<Network, std::size_t> lines;
  std::string line;
  for (std::size_t number = 1; std::getline(in, line); ++number) {
    const auto refuse = [&](const std::string &why) -> void {
      throw BadRoutes(std::string(name).append(":" + std::to_string(number) + ": ").append(why));
    };
    std::istringstream words(line.substr(0, line.find('#')));
    std::string network;
    std::string via;
    std::string gateway;
    std::string more;
    if (!(words >> network))
      continue;
    words >> via >> gateway;
    const std::optional<std::uint32_t> address = read_address(gateway);
    if (via != "via" || !address || words >> more)
      refuse("write a route as \"192.0.2.0/24 via 10.0.0.1\"");
    RouteLine route;
    try {
      route = {read_network(network), *address};
    } catch (const BadRoutes &error) {
      refuse(error.what());
    }
    if (route.network.prefix & ~mask_of(route.network.length))
      refuse(network + " has bits beyond its length");
    const auto [before, is_new] = lines.emplace(route.network, number);
    if (!is_new)
      refuse(network + " is also in line " + std::to_string(before->second));
    routes.push_back(route);
  }
  return routes;
}

std::vector<RouteLine> read_routes(const std::filesystem::path &path) {
  std::ifstream file(path);
  if (!file)
    throw BadRoutes(path.string() + ": cannot be read");
  return read_routes(file, path.string());
}

void write_routes(std::ostream &out, const std::vector<RouteLine> &routes) {
  for (const auto &[network, gateway] : routes)
    out << text_of(network.prefix) << '/' << network.length << " via " << text_of(gateway) << '\n';
}

std::vector<RouteLine> made_up_routes(std::size_t count, std::uint64_t seed,
                                      std::span<const std::uint32_t> gateways) {
  std::mt19937_64 random(seed);
  std::vector<double> weights;
  for (const auto &[length, weight] : shape)
    weights.push_back(weight);
  std::discrete_distribution<std::size_t> any_length(weights.begin(), weights.end());

  std::vector<RouteLine> routes;
  std::set<Network> taken;
  while (routes.size() + 1 < count) {
    const unsigned length = shape[any_length(random)].first;
    const std::uint32_t prefix = static_cast<std::uint32_t>(random()) & mask_of(length);
    const std::uint32_t first = prefix >> 24;
    if (first == 0 || first == 10 || first == 127 || first >= 224 ||
        !taken.insert({prefix, length}).second)
      continue;
    routes.push_back({{prefix, length}, gateways[routes.size() % gateways.size()]});
  }
  routes.push_back({{0, 0}, gateways[routes.size() % gateways.size()]});
  return routes;
}

} // namespace router
