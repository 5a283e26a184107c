// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_PLACE_LINKER_H
#define SARTOR_PLACE_LINKER_H

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <sartor/options.hpp>

#include "image/image.h"
#include "observe/result.h"
#include "place/arena.h"
#include "place/code.h"
#include "place/unwind_table.h"

namespace sartor::place {

/// Puts images into this process: resolves their symbols against the program's, places them in an
/// arena, makes them known to the unwinder, to gdb and to perf. Must outlive all code it has
/// linked. Thread-safe.
class Linker {
public:
  using Symbols = std::map<std::string, void *, std::less<>>;

  /// `program`: names that come before those that the dynamic linker finds.
  explicit Linker(Symbols program, PerfNames perf = PerfNames::none);

  /// `own` are symbols of this image alone. Fails with missing_symbol, compile_failed.
  Result<std::unique_ptr<Code>> link(const image::Image &image, const Symbols &own);

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

  Result<std::uint64_t> address_of(const image::Symbol &symbol, const Symbols &own) const;
  Result<std::unique_ptr<Code>> place(const image::Image &image,
                                      const std::vector<std::uint64_t> &addresses);
  void tell_perf(const image::Image &image, std::uint64_t code) const;

  Symbols program_;
  PerfNames perf_;
  Unwinder programs_unwinder_;
  Arena arena_;
  std::atomic<std::uint64_t> linked_{0};
  std::atomic<std::uint64_t> given_back_{0};
  std::atomic<std::size_t> bytes_{0};
  std::atomic<std::size_t> resident_bytes_{0};
};

} // namespace sartor::place

#endif
