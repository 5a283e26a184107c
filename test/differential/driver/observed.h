// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_DIFFERENTIAL_OBSERVED_H
#define SARTOR_TEST_DIFFERENTIAL_OBSERVED_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

/// What was observed in one run, as one number.
using Observed = std::uint64_t;

/// Runs the program once.
Observed observe_run(unsigned input);

/// What each input gives; nothing where it takes too long or ends the process.
using Expected = std::vector<std::optional<Observed>>;

/// Runs each input in a process that may be lost. Time is the process's own, so that a loaded
/// machine does not change what is usable.
Expected observe_inputs(unsigned inputs);

/// Throws std::runtime_error.
void write_expected(const std::string &file, const Expected &expected);
Expected read_expected(const std::string &file);

#endif
