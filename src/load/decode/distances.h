// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOAD_DECODE_DISTANCES_H
#define SARTOR_LOAD_DECODE_DISTANCES_H

#include <string>

#include "load/decode/call_sites.h"
#include "load/file/elf_file.h"

namespace sartor::load {

/// Whether a file may hold distances, from data to what is not writable or the other way, that no
/// operand of an instruction and no table of a known kind holds: in tables that code adds to their
/// own address, or as numbers in code. What it is, and where; empty if there is none.
std::string doubt_about_distances(const ElfFile &file, const Decoded &code);

} // namespace sartor::load

#endif
