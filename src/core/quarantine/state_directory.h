// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_QUARANTINE_STATE_DIRECTORY_H
#define SARTOR_CORE_QUARANTINE_STATE_DIRECTORY_H

#include <filesystem>

namespace sartor::core {

/// The directory that a runtime uses if Options::state_directory is `chosen`: that one, or
/// $XDG_STATE_HOME/sartor, or ~/.local/state/sartor. Empty if none is chosen and there is no home
/// directory, or the program runs with raised rights, which ignores the environment.
std::filesystem::path state_directory(const std::filesystem::path &chosen);

} // namespace sartor::core

#endif
