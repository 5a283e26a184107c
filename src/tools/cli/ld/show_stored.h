// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_LD_SHOW_STORED_H
#define SARTOR_TOOLS_CLI_LD_SHOW_STORED_H

#include "loader/lib/file/elf_file.h"

namespace sartor::cli {

/// `sartor ld show IMAGE`: prints the libraries in a stored image: names, build ids, segments; and
/// static probes. Returns false if the file is none.
bool show_stored_image(const loader::ElfFile &file, bool json);

} // namespace sartor::cli

#endif
