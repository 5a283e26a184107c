// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_FILES_H
#define HYDRO_FILES_H

#include <filesystem>
#include <string>
#include <vector>

#include <sartor/configuration.hpp>

#include "harness.h"

/// \file Data for the plots, and tables. All functions throw std::ios_base::failure if a file
/// cannot be written.
namespace hydro {

/// Writes `sod.dat`: x, the exact density, and the densities simulated with 100 and with 400 cells
/// at the nearest cells. Writes `validation.md`: errors and the balance of mass and energy.
void write_sod(const std::filesystem::path &folder);

/// A configuration, its description, and the measured times of an iteration.
struct Measured {
  std::string name;
  sartor::Configuration configuration;
  sartor::bench::Samples ticks;
};

/// Writes `plans.dat` and `plans.md`: the ticks of each plan and its speed-up over the first.
void write_plans(const std::filesystem::path &folder, const std::vector<Measured> &plans);

} // namespace hydro

#endif
