// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_OWN_LIBRARY_H
#define SARTOR_BASE_OWN_LIBRARY_H

#include <optional>
#include <string>

#include "base/result.h"

namespace sartor::base {

/// The first member of the structure that a library of Sartor exports.
struct OwnLibrary {
  const char *build_stamp; ///< Stamp of its build; libsartor accepts only its own.
};

/// Path of a file that belongs to libsartor.so: in the same directory, or the bare name if it is
/// not there.
std::string path_beside_library(const char *file);

/// Loads a library that belongs to libsartor.so and is not needed by every program, permanently,
/// and returns its exported structure `symbol`. The library is the one at `named`, if that is
/// given, or the one in the directory of libsartor.so, or one that the dynamic linker finds. Fails
/// with `code`, which names the file, and `remedy`.
Result<const OwnLibrary *> load_own_library(const char *file, const char *symbol,
                                            std::optional<std::string> named, ErrorCode code,
                                            const char *remedy);

} // namespace sartor::base

#endif
