// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_PROFILE_PERF_SCRIPT_H
#define SARTOR_LOADER_LIB_PROFILE_PERF_SCRIPT_H

#include <cstdint>
#include <istream>
#include <map>
#include <string>
#include <string_view>

#include "loader/lib/profile/profile.h"

namespace sartor::loader {

/// The samples in the output of `perf script`.
struct PerfSamples {
  Profile profile; ///< One count for each sample, and for each call in its chain.
  std::uint64_t samples = 0;
  /// Numbers of samples in files without a build id, in files that cannot be read, and outside of
  /// known files, by file.
  std::map<std::string, std::uint64_t> left_out;
};

/// Reads the output of `perf script`. Samples with chains name offsets in files; samples without
/// name addresses, for which the output must have the events of mappings (--show-mmap-events), and
/// for forked processes those of tasks (--show-task-events). Reads the files that samples are in,
/// to find functions and build ids. Other lines are ignored. `first_line` precedes the text.
PerfSamples samples_of(std::istream &text, std::string_view first_line = {});

} // namespace sartor::loader

#endif
