// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOAD_IMAGE_H
#define SARTOR_LOAD_IMAGE_H

#include <filesystem>
#include <string>
#include <vector>

#include "load/call_sites.h"
#include "load/elf_file.h"

namespace sartor::load {

/// A library of a program, or the program itself.
struct Library {
  std::filesystem::path path;
  ElfFile file;
  Decoded code;
};

/// A program and all the libraries that it starts with.
struct Image {
  std::vector<Library> libraries;   ///< The program first, then as they are searched for symbols.
  std::vector<std::string> missing; ///< Names of libraries that the stock loader does not find.
};

/// Reads and decodes a program and its libraries. Nothing of them is run. Fails with file_error,
/// bad_elf.
Result<Image> image_of(const std::filesystem::path &program);

} // namespace sartor::load

#endif
