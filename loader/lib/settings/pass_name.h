// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_LIB_SETTINGS_PASS_NAME_H
#define SARTOR_LOADER_LIB_SETTINGS_PASS_NAME_H

#include <string_view>
#include <vector>

namespace sartor::loader {

/// True if a pass may have this name. A name becomes a part of a path, so it contains a-z, 0-9, `_`
/// and `-` only.
bool is_pass_name(std::string_view name);

/// Remedy for an invalid name.
inline constexpr const char *pass_name_remedy =
    "names of passes are made of a-z, 0-9, _ and -; see docs/loader/passes.md";

/// Returns a list of `struct sartor_pass`, which ends with NULL or is NULL.
std::vector<std::string_view> names_of(const char *const *list);

} // namespace sartor::loader

#endif
