// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_FILE_STATIC_PROBES_H
#define SARTOR_LOADER_LIB_FILE_STATIC_PROBES_H

#include <cstdint>
#include <string_view>
#include <vector>

#include "loader/lib/file/elf_file.h"

namespace sartor::loader {

inline constexpr std::string_view static_probe_owner = "stapsdt";
inline constexpr std::uint32_t static_probe_note = 3; ///< Type of the notes.

/// A place of a static probe (USDT): an instruction that a tracer may replace. The texts point into
/// the file.
struct StaticProbe {
  std::string_view provider;
  std::string_view name;
  std::string_view arguments;
  std::uint64_t address;
  std::uint64_t semaphore; ///< Address of a counter of tracers; 0 if there is none.
};

/// Returns the static probes that a file's notes describe. One probe may have several places.
std::vector<StaticProbe> static_probes(const ElfFile &file);

} // namespace sartor::loader

#endif
