// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_LINES_H
#define SARTOR_BENCH_LINES_H

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace sartor::bench {

/// Returns the number of added and removed lines in a unified diff.
std::size_t lines_changed(const std::filesystem::path &patch);
/// Returns the number of lines of all files in a folder whose names begin with `prefix`.
std::size_t lines_of(const std::filesystem::path &folder, std::string_view prefix);

} // namespace sartor::bench

#endif
