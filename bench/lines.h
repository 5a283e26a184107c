// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_LINES_H
#define SARTOR_BENCH_LINES_H

#include <cstddef>
#include <filesystem>
#include <string_view>

namespace sartor::bench {

/// Of a unified diff: added and removed, all counted.
std::size_t lines_changed(const std::filesystem::path &patch);
/// Of all files in a folder whose names begin so.
std::size_t lines_of(const std::filesystem::path &folder, std::string_view prefix);

} // namespace sartor::bench

#endif
