// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_DISPATCH_LEANING_H
#define SARTOR_DISPATCH_LEANING_H

#include <cstdint>
#include <span>
#include <vector>

namespace sartor::dispatch {

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

/// Whether there is code that leans on one of them.
bool anything_leans_on(std::span<const std::uint64_t> promises);

} // namespace sartor::dispatch

#endif
