// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_SPACE_PUBLISHED_H
#define SARTOR_CORE_SPACE_PUBLISHED_H

#include <string>

namespace sartor::core {

/// The two parts of a handler file whose static functions and variables have got names by which
/// variants find the native ones. Bitcode.
struct Published {
  std::string module; ///< The source of handlers.
  std::string native; ///< The generic code: the same without marks, for a compiler.
};

} // namespace sartor::core

#endif
