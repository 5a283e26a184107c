// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef HYDRO_FILES_H
#define HYDRO_FILES_H

#include <filesystem>
#include <vector>

#include "search.h"

/// \file
/// Data for the plots, and tables. All throw std::ios_base::failure if a file cannot be written.
namespace hydro {

/// `sod.dat`: x, the exact density, and the simulation's with 100 and with 400 cells at the cells
/// nearest to it. `validation.md`: errors and the balance of mass and energy.
void write_sod(const std::filesystem::path &folder);

/// `trials.dat`: after each trial, the best so far over the default tiles; a column for each of
/// Sartor's searches, then one for each random search, then what the long search came to.
void write_trials(const std::filesystem::path &folder, const std::vector<Search> &searches,
                  const std::vector<Search> &random, double longest);

/// `loops.dat`, `loops.md`: of each loop its chosen tile and its ticks, with the default tiles and
/// with those chosen.
void write_loops(const std::filesystem::path &folder, Stand &stand,
                 const sartor::Configuration &chosen, std::size_t rounds);

} // namespace hydro

#endif
