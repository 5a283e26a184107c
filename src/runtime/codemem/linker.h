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
#include "core/image/code_image.h"
#include "runtime/codemem/arena.h"
#include "runtime/codemem/code.h"
#include "runtime/codemem/unwind_table.h"

namespace sartor::runtime {

/// Links images into this process: resolves their symbols with the program's, places them in an
/// arena, and registers them with the unwinder, gdb and perf. Must outlive all code that it has
/// linked. Thread-safe.
class Linker {
public:
  using Symbols = std::map<std::string, void *, std::less<>>;

  /// `program` contains names that take precedence over those that the dynamic linker finds.
  explicit Linker(Symbols program, PerfNames perf = PerfNames::none);

  /// A variant, or code that leads to variants or compares them.
  enum class Kind : std::uint8_t { variant, stub };

  /// `own` are symbols of this image alone. Fails with missing_symbol, compile_failed.
  Result<std::unique_ptr<Code>> link(const core::CodeImage &image, const Symbols &own,
                                     Kind kind = Kind::variant);

  /// The code that is linked now, and the number of variants that have been released since the
  /// start.
  struct Usage {
    std::size_t variants = 0;
    std::size_t bytes = 0;          ///< Of all code.
    std::size_t resident_bytes = 0; ///< As Code::resident_bytes().
    std::uint64_t released = 0;
  };
  [[nodiscard]] Usage usage() const;

private:
  struct Placed;
  class LinkedCode;

  Result<std::uint64_t> address_of(const core::Symbol &symbol, const Symbols &own) const;
  Result<std::unique_ptr<Code>> place(const core::CodeImage &image,
                                      const std::vector<std::uint64_t> &addresses, Kind kind);
  void report_perf(const core::CodeImage &image, std::uint64_t code) const;

  Symbols program_;
  PerfNames perf_;
  Unwinder programs_unwinder_;
  Arena arena_;
  std::atomic<std::uint64_t> linked_{0}; ///< Variants, as `released_`.
  std::atomic<std::uint64_t> released_{0};
  std::atomic<std::size_t> bytes_{0};
  std::atomic<std::size_t> resident_bytes_{0};
};

} // namespace sartor::runtime

#endif
