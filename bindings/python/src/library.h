// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_PYTHON_LIBRARY_H
#define SARTOR_PYTHON_LIBRARY_H

#include <span>
#include <string>

#include <sartor/module.h>

namespace sartor::python {

/// True if the file begins as an ELF file does. False for a file that cannot be read.
bool is_elf(const std::string &path);

/// Loads a shared library permanently, and finds the handler modules embedded in it: section
/// `sartor_modules` of its file, at the load address of the library. (The bounds that the linker
/// defines are hidden symbols, so that each library finds only its own.) Throws Error: file_error,
/// no_handler_module.
std::span<const sartor_module> load_library(const std::string &path);

} // namespace sartor::python

#endif
