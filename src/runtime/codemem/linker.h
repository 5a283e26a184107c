// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_CODEMEM_LINKER_H
#define SARTOR_RUNTIME_CODEMEM_LINKER_H

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <sartor/options.hpp>

#include "base/result.h"
#include "core/image/image.h"
#include "runtime/codemem/arena.h"
#include "runtime/codemem/code.h"
#include "runtime/codemem/unwind_table.h"

namespace sartor::runtime {

/// Puts images into this process: resolves their symbols against the program's, places them in an
/// arena, makes them known to the unwinder, to gdb and to perf. Must outlive all code it has
/// linked. Thread-safe.
class Linker {
public:
  using Symbols = std::map<std::string, void *, std::less<>>;

  /// `program`: names that come before those that the dynamic linker finds.
  explicit Linker(Symbols program, PerfNames perf = PerfNames::none);

  /// `own` are symbols of this image alone. Fails with missing_symbol, compile_failed.
  Result<std::unique_ptr<Code>> link(const core::Image &image, const Symbols &own);

  /// What is linked now, and how many pieces of code have been given back since the start.
  struct Usage {
    std::size_t pieces = 0;
    std::size_t bytes = 0;
    std::size_t resident_bytes = 0; ///< As Code::resident_bytes().
    std::uint64_t given_back = 0;
  };
  [[nodiscard]] Usage usage() const;

private:
  struct Placed;
  class LinkedCode;

  Result<std::uint64_t> address_of(const core::Symbol &symbol, const Symbols &own) const;
  Result<std::unique_ptr<Code>> place(const core::Image &image,
                                      const std::vector<std::uint64_t> &addresses);
  void tell_perf(const core::Image &image, std::uint64_t code) const;

  Symbols program_;
  PerfNames perf_;
  Unwinder programs_unwinder_;
  Arena arena_;
  std::atomic<std::uint64_t> linked_{0};
  std::atomic<std::uint64_t> given_back_{0};
  std::atomic<std::size_t> bytes_{0};
  std::atomic<std::size_t> resident_bytes_{0};
};

} // namespace sartor::runtime

#endif
