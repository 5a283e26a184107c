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
#include <sartor/configuration.hpp>
#include <sartor/generator.hpp>

#include "core/request/invariant_memory.h"
#include "core/request/kernel_memory.h"

namespace sartor::core {
struct Counters;
}

namespace sartor::core {

/// An input of a fast path and the result of the function.
struct Answer {
  std::vector<std::uint64_t> inputs; ///< The arguments' bits, zero-extended to 64.
  std::uint64_t result = 0;
};

/// Inputs that a fast path answers by itself.
struct Answers {
  std::vector<Answer> list;  ///< Most frequent first.
  std::uint64_t version = 0; ///< Version at which they are valid, if the point has a version.
  std::vector<std::uint64_t> invariants; ///< Invariants that they depend on.
};

/// The generator of a kind of custom points. A replacement has another number.
struct CustomKind {
  Generator generator;
  std::uint64_t number = 0;
};
/// The code of a custom point: a function of the point's type.
struct Generated {
  std::string ir; ///< LLVM assembly or bitcode.
  std::string function;
  std::vector<std::uint64_t> invariants; ///< Invariants that it depends on.
};
using CustomKinds = std::map<std::string, std::shared_ptr<const CustomKind>, std::less<>>;

/// The symbol of the array of i64 in which guards count their failures, indexed by the position of
/// their label in the space.
constexpr const char *kFailureCounters = "sartor.guard_failures";

/// Everything that a variant is specialized to. A value type.
struct Context {
  std::string handler;
  /// Checked against the space and fitted to the points' types.
  Configuration configuration;
  /// Bound parameters of the source, by index; the values fit the parameters.
  std::map<unsigned, BoundArgument> arguments;
  /// Indices of the arguments that were known at earlier stages: each set is smaller than the next,
  /// and than the present one. Code may be made from that of the last stage; it behaves the same,
  /// so text() and requests to out-of-process compilers omit the stages.
  std::vector<std::set<unsigned>> stages;
  /// The invariant memory that the handler can reach; null if there is none.
  std::shared_ptr<InvariantMemory> memory;
  /// For a handler in the kernel; null if there is none.
  std::shared_ptr<const KernelMemory> kernel = nullptr;
  /// By label of a fast path.
  std::map<std::string, Answers, std::less<>> answers;
  /// By label: profile one execution in so many.
  using Instrumented = std::map<std::string, unsigned, std::less<>>;
  Instrumented instrumented;
  /// Location of the counts; null if nothing is counted. Keeps the store alive.
  std::shared_ptr<const Counters> profile;
  /// Generators that the configuration needs, by kind; none once they have run.
  CustomKinds custom_kinds;
  /// By label of a custom point.
  std::map<std::string, Generated, std::less<>> generated;
  /// Labels of points whose values are left out of the code: each is a symbol, hole_symbol().
  std::set<std::string, std::less<>> holes;
};

/// The symbol for the value of a hole: its address is the value's bits.
inline std::string hole_symbol(const std::string &label) { return "sartor.hole." + label; }

/// The symbol for an address that is left out of the code, by its number.
inline std::string place_symbol(std::size_t number) {
  return "sartor.place." + std::to_string(number);
}

/// True if nothing is specialized: the native code suffices.
bool is_generic(const Context &context);

/// The text of a context without the handler and the invariant memory: equal for contexts that make
/// the same code from the same memory.
std::string text(const Context &context);

/// The error for a label that is set although its kind has no generator.
Failure unknown_custom_kind(const std::string &label, const std::string &kind);

} // namespace sartor::core

#endif
