// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_DECODE_DISTANCES_H
#define SARTOR_LOADER_LIB_DECODE_DISTANCES_H

#include <string>

#include "loader/lib/decode/call_sites.h"
#include "loader/lib/file/elf_file.h"

namespace sartor::loader {

/// Returns a doubt if a file may hold distances between writable and read-only memory that are
/// neither operands of instructions nor in tables of a known kind: in tables that code adds to
/// their own address, or as numbers in code. The text says what was found and where; empty if there
/// is none.
std::string doubt_about_distances(const ElfFile &file, const Decoded &code);

} // namespace sartor::loader

#endif
