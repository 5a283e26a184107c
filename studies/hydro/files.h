// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_FILES_H
#define HYDRO_FILES_H

#include <filesystem>
#include <string>
#include <vector>

#include <sartor/configuration.hpp>

#include "harness.h"

/// \file
/// Data for the plots, and tables. All throw std::ios_base::failure if a file cannot be written.
namespace hydro {

/// `sod.dat`: x, the exact density, and the simulation's with 100 and with 400 cells at the cells
/// nearest to it. `validation.md`: errors and the balance of mass and energy.
void write_sod(const std::filesystem::path &folder);

/// A configuration, what it is, and how long an iteration takes with it.
struct Measured {
  std::string name;
  sartor::Configuration configuration;
  sartor::bench::Samples ticks;
};

/// `plans.dat`, `plans.md`: each and its ticks, the first one's over its own.
void write_plans(const std::filesystem::path &folder, const std::vector<Measured> &plans);

} // namespace hydro

#endif
