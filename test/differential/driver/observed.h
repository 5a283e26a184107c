// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_DIFFERENTIAL_OBSERVED_H
#define SARTOR_TEST_DIFFERENTIAL_OBSERVED_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// Everything observed in one run, combined into one number.
using Observed = std::uint64_t;

/// Runs the program once and returns its observation.
Observed observe_run(unsigned input);

/// The result of each input; nothing if the run takes too long or ends the process.
using Expected = std::vector<std::optional<Observed>>;

/// Runs each input in a child process that may die. Time is CPU time of the process, so a loaded
/// machine does not change which inputs are usable.
Expected observe_inputs(unsigned inputs);

/// Throws std::runtime_error if the file cannot be written.
void write_expected(const std::string &file, const Expected &expected);
Expected read_expected(const std::string &file);

#endif
