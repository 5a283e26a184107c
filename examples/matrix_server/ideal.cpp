// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ideal.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <fstream>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "start.h"

namespace matmul {

namespace {

using namespace std::chrono_literals;
using Json = nlohmann::ordered_json;

constexpr int rounds = 3;
constexpr double seconds = 1;

/// The settings of the server's points; an N for another size is useless.
std::vector<Json> configurations(std::uint64_t n) {
  std::vector<Json> all;
  for (const bool has_n : {false, true})
    for (const int block : {0, 2, 4, 8, 16, 32, 64}) {
      Json one = Json::object();
      if (block != 0)
        one["B"] = {{"values", {block}}, {"guard", false}};
      if (has_n)
        one["N"] = n;
      all.push_back(std::move(one));
    }
  return all;
}

/// Multiply-adds per second.
double rate_of(const Json &configuration, std::uint64_t n, const std::filesystem::path &folder) {
  StartedServer server({"--configuration", configuration.dump()}, folder / "ideal.server.log");
  const auto report = folder / "ideal.load.json";
  Process load = start_load(server.port, seconds, {n}, false, report);
  while (!load.status())
    rest(20ms);
  std::ifstream file(report);
  const Json phase = Json::parse(file).at("phases").at(0);
  return phase.at("requests").get<double>() * static_cast<double>(n * n * n) /
         phase.at("seconds").get<double>();
}

} // namespace

std::map<std::uint64_t, Ideal> find_ideal(const std::vector<std::uint64_t> &sizes,
                                          const std::filesystem::path &folder) {
  std::map<std::uint64_t, Ideal> ideals;
  for (const std::uint64_t n : sizes) {
    const auto tried = configurations(n);
    std::vector<std::array<double, rounds>> rates(tried.size());
    for (int round = 0; round < rounds; ++round)
      for (std::size_t i = 0; i < tried.size(); ++i)
        rates[i][static_cast<std::size_t>(round)] = rate_of(tried[i], n, folder);
    Ideal &best = ideals[n];
    for (std::size_t i = 0; i < tried.size(); ++i) {
      std::ranges::sort(rates[i]);
      if (rates[i][rounds / 2] > best.rate)
        best = {rates[i][rounds / 2], tried[i].dump()};
    }
  }
  return ideals;
}

} // namespace matmul
