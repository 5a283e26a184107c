// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_SPACE_READABLE_NAME_H
#define SARTOR_CORE_SPACE_READABLE_NAME_H

#include <string>

namespace sartor::core {

/// The name of a function for people: `names::twice<int>` for its C++ symbol, without parameters,
/// return type and suffixes that the plugin and prepare() add.
std::string readable_name(const std::string &symbol);
/// The same as a part of a file's name that is valid in all file systems.
std::string name_in_file(const std::string &symbol);

} // namespace sartor::core

#endif
