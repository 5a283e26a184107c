// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_MAP_DUMP_H
#define SARTOR_TOOLS_CLI_MAP_DUMP_H

#include <map>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/request/kernel_memory.h"

namespace sartor::cli {

using KernelMaps = std::map<std::string, core::KernelMap, std::less<>>; ///< Keyed by name.

/// Reads maps with their recorded content: each of `files` is `NAME=FILE`, the file as `bpftool -j
/// map dump` writes it. `known` contains the maps that may be invariant. Fails with bad_json,
/// bad_invariant, file_error.
Result<KernelMaps> read_map_dumps(const std::vector<std::string> &files, const KernelMaps &known);

} // namespace sartor::cli

#endif
