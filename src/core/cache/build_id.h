// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_CACHE_BUILD_ID_H
#define SARTOR_CORE_CACHE_BUILD_ID_H

#include <filesystem>
#include <optional>
#include <string>

namespace sartor::core {

/// The build id (NT_GNU_BUILD_ID) of the program or library that contains an address, in
/// hexadecimal digits. It is read from memory, so it is that of the running code even if the file
/// was replaced. Nothing if the linker was not asked for one.
std::optional<std::string> build_id_at(const void *address);

/// The same for a library, by the path that it was loaded by; nothing if it is not loaded, either.
std::optional<std::string> build_id_of(const std::string &loaded);

/// The same for an ELF file that need not be loaded; nothing if it cannot be read, either.
std::optional<std::string> build_id_in_file(const std::filesystem::path &path);

} // namespace sartor::core

#endif
