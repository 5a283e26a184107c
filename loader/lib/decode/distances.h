// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_DECODE_DISTANCES_H
#define SARTOR_LOADER_LIB_DECODE_DISTANCES_H

#include <string>

#include "loader/lib/decode/call_sites.h"
#include "loader/lib/file/elf_file.h"

namespace sartor::loader {

/// Whether a file may hold distances, from data to what is not writable or the other way, that no
/// operand of an instruction and no table of a known kind holds: in tables that code adds to their
/// own address, or as numbers in code. What it is, and where; empty if there is none.
std::string doubt_about_distances(const ElfFile &file, const Decoded &code);

} // namespace sartor::loader

#endif
