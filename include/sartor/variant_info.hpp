// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_VARIANT_INFO_HPP
#define SARTOR_VARIANT_INFO_HPP

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <sartor/configuration.hpp>
#include <sartor/folded.hpp>
#include <sartor/remark.hpp>

namespace sartor {

/// Where the code of a variant came from.
enum class VariantOrigin : unsigned char {
  native,     ///< Nothing is specialized: the program's own code.
  compiled,   ///< It was made for this request.
  memory,     ///< It was there already, or was made for other memory with the same in it.
  disk,       ///< Options::cache_directory.
  shared,     ///< Options::shared_cache.
  beforehand, ///< The program's own file, since it was built.
};

/// One specialized handler, as specialize() and Binding::wait() tell of it.
struct VariantInfo {
  std::string name; ///< As perf and gdb show it: `matmul{B=16,N=256}`.
  std::string handler;
  Configuration configuration; ///< The settings that concern this handler.
  std::size_t code_bytes = 0;
  /// What the variant takes in memory: whole pages of code, and what is kept about it elsewhere,
  /// which is estimated.
  std::size_t resident_bytes = 0;
  /// Time spent on getting the code; zero if it was in memory.
  std::chrono::nanoseconds compile_time{};
  bool quick = false; ///< Of the quick tier.
  VariantOrigin origin = VariantOrigin::native;
  /// What was asked for and changed nothing in the code, and why: a bound argument that is not
  /// used, a point that stays generic, a promise that nothing depends on.
  std::vector<Remark> remarks;
  /// What promised memory came to in the code. Of native code, nothing.
  Folded folded;
};

} // namespace sartor

#endif
