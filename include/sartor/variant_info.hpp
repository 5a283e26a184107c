// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_VARIANT_INFO_HPP
#define SARTOR_VARIANT_INFO_HPP

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

#include <sartor/configuration.hpp>
#include <sartor/fold_report.hpp>
#include <sartor/remark.hpp>

namespace sartor {

/// Origin of the code of a variant.
enum class VariantOrigin : unsigned char {
  native,        ///< The program's own code; nothing is specialized.
  compiled,      ///< Compiled for this request.
  memory,        ///< Found in memory, or made for other memory with the same content.
  disk,          ///< Options::cache_directory.
  shared,        ///< Options::shared_cache.
  ahead_of_time, ///< The program's file, compiled ahead of time.
};

/// Description of one specialized handler, as specialize() and Binding::wait() return it.
struct VariantInfo {
  std::string name; ///< As shown by perf and gdb: `matmul{B=16,N=256}`.
  std::string handler;
  Configuration configuration; ///< The settings that concern this handler.
  std::size_t code_bytes = 0;
  /// Memory taken by the variant: whole pages of code, and an estimate of the metadata kept
  /// elsewhere.
  std::size_t resident_bytes = 0;
  /// Time spent on getting the code; zero if it was in memory.
  std::chrono::nanoseconds compile_time{};
  bool quick = false; ///< Compiled by the quick tier.
  VariantOrigin origin = VariantOrigin::native;
  /// Requests that had no effect on the code, and the reasons: a bound argument that is not used, a
  /// point that stays generic, an invariant that nothing depends on.
  std::vector<Remark> remarks;
  /// Effect of invariant memory on the code. Empty for native code.
  FoldReport fold_report;
};

} // namespace sartor

#endif
