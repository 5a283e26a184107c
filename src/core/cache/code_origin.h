// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_CACHE_CODE_ORIGIN_H
#define SARTOR_CORE_CACHE_CODE_ORIGIN_H

namespace sartor::core {

/// Origin of object code.
enum class CodeOrigin : unsigned char {
  compiled,
  ahead_of_time, ///< The program's file; full tier only.
  disk,          ///< The disk cache; full tier only.
  shared,        ///< The shared cache; full tier only.
  filled,        ///< A template of this process.
  alike,         ///< An image of this process, for memory with the same content.
};

} // namespace sartor::core

#endif
