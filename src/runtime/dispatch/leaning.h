// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_DISPATCH_LEANING_H
#define SARTOR_RUNTIME_DISPATCH_LEANING_H

#include <cstdint>
#include <span>
#include <vector>

namespace sartor::runtime {

/// While one exists, there is code in this process that leans on these promises, by number, and
/// threads may be inside. Thread-safe.
class Leaning {
public:
  Leaning() = default;
  explicit Leaning(std::vector<std::uint64_t> promises);
  ~Leaning();
  Leaning(Leaning &&other) noexcept;
  Leaning &operator=(Leaning &&other) noexcept;

private:
  std::vector<std::uint64_t> promises_;
};

/// While one exists, somebody may come to lean on any promise that still holds: the program's own
/// code on a compiling thread, which asks only then whether it does. Thread-safe.
class LeaningOnAny {
public:
  LeaningOnAny();
  ~LeaningOnAny();
  LeaningOnAny(const LeaningOnAny &) = delete;
  LeaningOnAny &operator=(const LeaningOnAny &) = delete;
};

/// Whether there is code that leans on one of them, or may.
bool anything_leans_on(std::span<const std::uint64_t> promises);

} // namespace sartor::runtime

#endif
