// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BASE_OWN_LIBRARY_H
#define SARTOR_BASE_OWN_LIBRARY_H

#include <optional>
#include <string>

#include "base/result.h"

namespace sartor::base {

/// What a library of ours shows begins with this.
struct OwnLibrary {
  const char *build_stamp; ///< Of its build; libsartor takes none but its own.
};

/// Of a file that belongs to libsartor.so: beside it, or the bare name where there is none.
std::string path_beside_library(const char *file);

/// Loads a library that belongs to libsartor.so and is not needed by every program, for ever, and
/// gives what it shows under the name `symbol`: the one at `named`, if that is given, or the one
/// beside libsartor.so, or one that the dynamic linker finds. Fails with `code`, which names the
/// file, and `remedy`.
Result<const OwnLibrary *> load_own_library(const char *file, const char *symbol,
                                            std::optional<std::string> named, ErrorCode code,
                                            const char *remedy);

} // namespace sartor::base

#endif
