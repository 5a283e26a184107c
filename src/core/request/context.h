// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_REQUEST_CONTEXT_H
#define SARTOR_CORE_REQUEST_CONTEXT_H

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include <sartor/bound_argument.hpp>
#include <sartor/builder.hpp>
#include <sartor/configuration.hpp>

#include "core/request/kernel_memory.h"
#include "core/request/promised_memory.h"

namespace sartor::core {
struct Counters;
}

namespace sartor::core {

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

/// The generator of a kind of custom points. One that replaces another has another number.
struct CustomKind {
  Generator generator;
  std::uint64_t number = 0;
};
using CustomKinds = std::map<std::string, std::shared_ptr<const CustomKind>, std::less<>>;

/// The symbol of the array of i64 in which guards count their failures, indexed by the place of
/// their label in the space.
constexpr const char *kFailureCounters = "sartor.guard_failures";

/// Everything that a variant is specialized to. A value.
struct Context {
  std::string handler;
  /// Checked against the space and fitted to the points' types.
  Configuration configuration;
  /// What parameters of the source are bound to, by their index; they fit it.
  std::map<unsigned, BoundArgument> arguments;
  /// Which of them were known at earlier stages: less each time than at the next, and than now.
  /// Code may be made from what was made of the last; what it does is the same, so text() leaves
  /// them out, and so do questions to a compiler in another process.
  std::vector<std::set<unsigned>> stages;
  /// The invariant memory that the handler can reach; null if there is none.
  std::shared_ptr<PromisedMemory> memory;
  /// Of a handler in the kernel; null if there is nothing.
  std::shared_ptr<const KernelMemory> kernel = nullptr;
  /// By label of a fast path.
  std::map<std::string, Answers, std::less<>> answers;
  /// By label: profile every how manieth time.
  using Instrumented = std::map<std::string, unsigned, std::less<>>;
  Instrumented instrumented;
  /// Where that is counted; null where nothing is. Holds the store.
  std::shared_ptr<const Counters> profile;
  /// Those that the configuration needs, by kind.
  CustomKinds custom_kinds;
  /// Labels of points whose values are left out of the code: each is a symbol, hole_symbol().
  std::set<std::string, std::less<>> holes;
};

/// What stands for the value of a hole: its address is the value's bits.
inline std::string hole_symbol(const std::string &label) { return "sartor.hole." + label; }

/// What stands for an address that is left out of the code, by its number.
inline std::string place_symbol(std::size_t number) {
  return "sartor.place." + std::to_string(number);
}

/// Whether nothing is special: the native code will do.
bool is_generic(const Context &context);

/// All of a context but the handler and the invariant memory, as text: equal for contexts that make
/// the same code from the same memory.
std::string text(const Context &context);

/// What to say of a label that is set although nobody has added a generator of its kind.
Failure unknown_custom_kind(const std::string &label, const std::string &kind);

} // namespace sartor::core

#endif
