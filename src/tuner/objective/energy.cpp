// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tuner/objective/energy.h"

#include <fstream>
#include <optional>
#include <string>
#include <system_error>

namespace sartor {

namespace {

std::optional<double> number_in(const std::filesystem::path &file) {
  double number = 0;
  if (std::ifstream(file) >> number)
    return number;
  return std::nullopt;
}

/// Parts of packages, the whole system and other views of the same package must not count twice.
bool is_package(const std::filesystem::path &zone) {
  std::string name;
  return zone.filename().string().starts_with("intel-rapl:") &&
         std::ifstream(zone / "name") >> name && name.starts_with("package");
}

} // namespace

Result<Energy> Energy::open(const std::filesystem::path &root) {
  Energy energy;
  bool is_there = false;
  std::error_code error;
  for (std::filesystem::directory_iterator it(root, error), end; !error && it != end;
       it.increment(error)) {
    if (!is_package(it->path()))
      continue;
    is_there = true;
    const auto counter = it->path() / "energy_uj";
    const auto now = number_in(counter), range = number_in(it->path() / "max_energy_range_uj");
    if (now && range)
      energy.packages_.push_back({counter, *range, *now});
  }
  if (!energy.packages_.empty())
    return energy;
  if (is_there)
    return std::unexpected(Failure{ErrorCode::bad_objective, root.string(),
                                   "the processors' energy counters cannot be read",
                                   "let the program read energy_uj there, which is root's, or "
                                   "use Objective::cost_per() with CPU time"});
  return std::unexpected(
      Failure{ErrorCode::bad_objective, root.string(),
              "this machine shows no energy counters of its processors",
              "use Objective::cost_per() with CPU time, or a meter of your own"});
}

double Energy::joules() {
  for (Package &package : packages_)
    if (const auto now = number_in(package.counter)) {
      microjoules_ += *now - package.last + (*now < package.last ? package.range : 0);
      package.last = *now;
    }
  return 1e-6 * microjoules_;
}

} // namespace sartor
