// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_SPECIALIZE_CONTEXT_H
#define SARTOR_SPECIALIZE_CONTEXT_H

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <sartor/configuration.hpp>

namespace sartor {
class Builder;
}

namespace sartor::specialize {

/// Bytes of invariant memory, read when the variant was asked for.
struct Region {
  std::uint64_t promise = 0; ///< The number of the promise that it comes from.
  std::uintptr_t address = 0;
  std::shared_ptr<const std::string> bytes;

  [[nodiscard]] std::uintptr_t end() const { return address + bytes->size(); }
};

/// An input of a fast path and what the function answered.
struct Answer {
  std::vector<std::uint64_t> inputs; ///< The arguments' bits, zero-extended to 64.
  std::uint64_t result = 0;
};

/// What a fast path is to answer by itself.
struct Answers {
  std::vector<Answer> list;            ///< Most frequent first.
  std::uint64_t version = 0;           ///< At which they hold, where the point has a version.
  std::vector<std::uint64_t> promises; ///< On which they lean.
};

/// The generator of a kind of custom points. Thread-safe, as far as it is called by one compiling
/// thread at a time.
using Generator = std::function<void(Builder &)>;

/// By kind. Another map has another number.
struct Generators {
  std::map<std::string, Generator, std::less<>> by_kind;
  std::uint64_t number = 0;
};

/// Everything that a variant is specialized to. A value.
struct Context {
  std::string handler;
  /// Checked against the space and fitted to the points' types.
  Configuration configuration;
  /// Bound arguments by their index.
  std::map<unsigned, Value> arguments;
  /// Those that the handler can reach. Sorted by address, disjoint.
  std::vector<Region> regions;
  /// By label of a fast path.
  std::map<std::string, Answers, std::less<>> answers;
  /// By label: profile every how manieth time.
  std::map<std::string, unsigned, std::less<>> instrumented;
  /// By kind.
  std::shared_ptr<const Generators> generators;
};

/// Whether nothing is special: the native code will do.
bool is_generic(const Context &context);

/// All of a context but the handler, as text: equal for contexts that make the same code. Regions
/// are named by their promises.
std::string text(const Context &context);

} // namespace sartor::specialize

#endif
