// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

namespace web {

namespace {

/// Runs a program to its end, which comes at the latest with the end of this process; returns its
/// exit status.
int run(std::vector<std::string> words) {
  words.insert(words.begin(), {"setpriv", "--pdeathsig", "KILL"});
  std::vector<char *> arguments;
  for (std::string &word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  pid_t process = 0;
  if (posix_spawnp(&process, arguments[0], nullptr, nullptr, arguments.data(), environ) != 0)
    throw std::runtime_error("cannot start setpriv");
  int status = 0;
  if (waitpid(process, &status, 0) != process || !WIFEXITED(status))
    return EXIT_FAILURE;
  return WEXITSTATUS(status);
}

} // namespace

const std::vector<std::string> kServers{"mariadbd", "nginx", "php-fpm"};
const std::vector<std::string> kEvents{"instructions", "cycles", "branch-misses",
                                       "iTLB-load-misses", "dTLB-load-misses"};

bool Measured::has(const std::string &quantity) const {
  const auto left = stock.find(quantity);
  const auto right = loader.find(quantity);
  return left != stock.end() && right != loader.end() &&
         left->second.size() == right->second.size();
}

sartor::bench::Interval Measured::ratio(const std::string &quantity) const {
  return sartor::bench::ratio(loader.at(quantity), stock.at(quantity));
}

Measured measure(std::size_t rounds) {
  const char *const requested = std::getenv("BENCH_ROUNDS");
  const std::string number = requested ? requested : std::to_string(rounds);
  const std::string directory = STUDY_WEB_DIRECTORY;
  const int status = run({STUDY_WEB_SCRIPT, directory, STUDY_WEB_LOADER, "--rounds", number});
  if (status == kSkipped)
    throw Skipped();
  if (status != 0)
    throw std::runtime_error("the site could not be measured");
  std::ifstream file(directory + "/samples.json");
  const nlohmann::json document = nlohmann::json::parse(file);
  Measured measured{
      .kinds = document.at("kinds"), .rate = document.at("rate"), .stock = {}, .loader = {}};
  measured.kinds.emplace_back("all");
  for (const nlohmann::json &turn : document.at("turns")) {
    Quantities &quantities = turn.at("way") == "stock" ? measured.stock : measured.loader;
    for (const auto &[name, value] : turn.at("samples").items())
      quantities[name].push_back(value);
  }
  return measured;
}

} // namespace web
