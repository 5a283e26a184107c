// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_LIVE_CODE_FILE_H
#define SARTOR_TOOLS_CLI_LIVE_CODE_FILE_H

#include <cstdint>
#include <string>
#include <string_view>

namespace sartor::cli {

/// The machine code of a variant, as it lies in a process of this machine.
struct CodeFile {
  std::string name;
  std::uint64_t address = 0;
  std::string bytes;

  /// An ELF file with the code at its address, under its name.
  [[nodiscard]] std::string elf() const;
};

/// The bytes that hexadecimal digits stand for. Ends at the first that is no such digit.
std::string bytes_of(std::string_view digits);

} // namespace sartor::cli

#endif
