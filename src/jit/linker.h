// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_JIT_LINKER_H
#define SARTOR_JIT_LINKER_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include <sartor/options.hpp>

#include "jit/code.h"
#include "observe/result.h"

namespace sartor::jit {

/// Puts object code into this process: resolves its symbols against the program's, makes it known
/// to the unwinder, to gdb and to perf. Must outlive all code it has linked. Thread-safe.
class Linker {
public:
  using Symbols = std::map<std::string, void *, std::less<>>;

  /// `symbols` come before the program's dynamic symbols. Fails with compile_failed.
  static Result<std::unique_ptr<Linker>> create(const Symbols &symbols,
                                                PerfNames perf = PerfNames::none);
  ~Linker();

  /// Pieces of code that a process may have at once: each takes mappings, of which the system gives
  /// a process so many (vm.max_map_count) and the program needs some itself.
  static std::size_t most_pieces();

  /// Links an object file whose function `symbol` is the way in. `own` are symbols of this object
  /// alone. Fails with missing_symbol, compile_failed, also when there are most_pieces() already.
  Result<std::unique_ptr<Code>> link(const std::string &object, const std::string &symbol,
                                     const Symbols &own);

  /// What is linked now, and how many pieces of code have been given back since the start.
  struct Usage {
    std::size_t pieces = 0;
    std::size_t bytes = 0;
    std::size_t resident_bytes = 0; ///< As Code::resident_bytes().
    std::uint64_t given_back = 0;
  };
  [[nodiscard]] Usage usage() const;

  struct Impl;

private:
  explicit Linker(std::unique_ptr<Impl> impl);
  Result<std::unique_ptr<Code>> link_alone(const std::string &object, const std::string &symbol,
                                           const Symbols &own);

  std::unique_ptr<Impl> impl_;
};

} // namespace sartor::jit

#endif
