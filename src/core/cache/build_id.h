// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_CACHE_BUILD_ID_H
#define SARTOR_CORE_CACHE_BUILD_ID_H

#include <filesystem>
#include <optional>
#include <string>

namespace sartor::core {

/// The build id (NT_GNU_BUILD_ID) of the program or library in which an address lies, in
/// hexadecimal digits. Read from memory: it is that of the code that runs, whatever the file has
/// become meanwhile. Nothing where the linker was not told to make one.
std::optional<std::string> build_id_at(const void *address);

/// The same of a library by the path that it was loaded by; nothing if it is not loaded either.
std::optional<std::string> build_id_of(const std::string &loaded);

/// The same of an ELF file that nobody need have loaded; nothing either if it cannot be read.
std::optional<std::string> build_id_in_file(const std::filesystem::path &path);

} // namespace sartor::core

#endif
