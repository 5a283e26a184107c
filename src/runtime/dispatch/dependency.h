// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_DISPATCH_DEPENDENCY_H
#define SARTOR_RUNTIME_DISPATCH_DEPENDENCY_H

#include <cstdint>
#include <span>
#include <vector>

namespace sartor::runtime {

/// While one exists, this process has code that depends on these invariants, by number, and threads
/// may be inside. Thread-safe.
class Dependency {
public:
  Dependency() = default;
  explicit Dependency(std::vector<std::uint64_t> invariants);
  ~Dependency();
  Dependency(Dependency &&other) noexcept;
  Dependency &operator=(Dependency &&other) noexcept;

private:
  std::vector<std::uint64_t> invariants_;
};

/// While one exists, code may come to depend on any invariant that is still valid: the program's
/// own code on a compiling thread, which checks validity only afterwards. Thread-safe.
class DependencyOnAny {
public:
  DependencyOnAny();
  ~DependencyOnAny();
  DependencyOnAny(const DependencyOnAny &) = delete;
  DependencyOnAny &operator=(const DependencyOnAny &) = delete;
};

/// True if code depends on one of these invariants, or may come to do so.
bool has_dependents(std::span<const std::uint64_t> invariants);

} // namespace sartor::runtime

#endif
