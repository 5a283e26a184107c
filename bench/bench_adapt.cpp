// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures how soon the matrix server (examples/matrix_server) reaches its best throughput
/// again after its workload has changed, and its share of the ideal throughput over the whole run.
/// Runs the demo and reads its summary. The ideal is the throughput of the best configuration in
/// each phase; all configurations are tried in a server without an explorer.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include <nlohmann/json.hpp>

#include "figures.h"

namespace sartor::bench {

const char *const bench_name = "adapt";

std::vector<Figure> measure() {
  const auto programs = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  const std::filesystem::path results = std::filesystem::temp_directory_path() / "sartor-adapt";
  const std::string command =
      "'" + (programs / "matmul_demo").string() + "' --ideal --output '" + results.string() + "'";
  if (std::system(command.c_str()) != 0) // NOLINT(bugprone-command-processor): our own program
    throw std::runtime_error("failed: " + command);

  std::ifstream file(results / "summary.json");
  const auto summary = nlohmann::json::parse(file);
  std::vector<double> seconds;
  for (const auto &phase : summary.at("phases"))
    seconds.push_back(phase.at("seconds_to_best"));
  const auto [shortest, longest] = std::ranges::minmax(seconds);
  const double share = 100 * summary.at("share_of_ideal").get<double>();
  return {
      // The value is the worst phase; the interval spans the phases.
      {"seconds_to_best", "s", {longest, shortest, longest}, at_most(3)},
      {"share_of_ideal", "%", {share, share, share}, at_least(90)},
  };
}

} // namespace sartor::bench
