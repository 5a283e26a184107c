// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "traffic.h"

#include <fstream>
#include <sstream>
#include <utility>

#include "ipv4.h"

namespace router {

namespace {

bool is_public(std::uint32_t address) { return routable(address) && address >> 24 != 10; }

} // namespace

std::uint32_t random_host(std::mt19937_64 &random) {
  for (;;) {
    const auto address = static_cast<std::uint32_t>(random());
    if (is_public(address))
      return address;
  }
}

std::uint32_t random_host(std::mt19937_64 &random, const std::vector<RouteLine> &routes) {
  for (;;) {
    const Network &network = routes[random() % routes.size()].network;
    const std::uint32_t address =
        network.prefix | (static_cast<std::uint32_t>(random()) & ~mask_of(network.length));
    if (is_public(address))
      return address;
  }
}

Traffic::Traffic(std::vector<std::uint32_t> popular, double share, std::uint64_t seed)
    : random_(seed), popular_(std::move(popular)), share_(share) {}

Traffic::Traffic(std::size_t count, double share, std::uint64_t seed)
    : random_(seed), share_(share) {
  while (popular_.size() < count)
    popular_.push_back(random_host(random_));
}

std::uint32_t Traffic::next() {
  const double dice = static_cast<double>(random_() >> 11) * 0x1p-53;
  return dice < share_ && !popular_.empty() ? popular_[random_() % popular_.size()]
                                            : random_host(random_);
}

std::vector<std::uint32_t> read_addresses(const std::filesystem::path &path) {
  std::ifstream file(path);
  if (!file)
    throw BadRoutes(path.string() + ": cannot be read");
  std::vector<std::uint32_t> addresses;
  std::string line;
  for (std::size_t number = 1; std::getline(file, line); ++number) {
    std::istringstream words(line.substr(0, line.find('#')));
    std::string word;
    if (!(words >> word))
      continue;
    const std::optional<std::uint32_t> address = read_address(word);
    if (!address)
      throw BadRoutes(path.string() + ":" + std::to_string(number) + ": \"" + word +
                      "\" is no address");
    addresses.push_back(*address);
  }
  return addresses;
}

} // namespace router
