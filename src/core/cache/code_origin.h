// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_CACHE_CODE_ORIGIN_H
#define SARTOR_CORE_CACHE_CODE_ORIGIN_H

namespace sartor::core {

/// Where object code came from.
enum class CodeOrigin : unsigned char {
  compiled,
  beforehand, ///< The program's own file, which has that of the full tier only.
  disk,       ///< The disk cache; the full tier only.
  shared,     ///< The shared cache; the full tier only.
  filled,     ///< A template of this process's.
  alike,      ///< An image of this process's, of memory with the same in it.
};

} // namespace sartor::core

#endif
