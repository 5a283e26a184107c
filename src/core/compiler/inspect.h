// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_COMPILER_INSPECT_H
#define SARTOR_CORE_COMPILER_INSPECT_H

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <sartor/configuration.hpp>
#include <sartor/options.hpp>
#include <sartor/remark.hpp>

#include "base/result.h"
#include "core/request/context.h"
#include "core/request/foldable.h"
#include "core/request/kernel_memory.h"

namespace sartor::core {

/// What there is of each in a piece of IR.
struct CodeCounts {
  int instructions = 0;
  int branches = 0; ///< Conditional ones, switches among them.
  int loads = 0;
  int stores = 0;
  int calls = 0; ///< Without LLVM's intrinsics, which are instructions in the end.
  int loops = 0;
  int vector_instructions = 0;
};

/// What one of LLVM's passes said that it did, or why it did not.
struct PassRemark {
  std::string pass;
  std::string name;
  std::string message;
  bool done = false;

  auto operator<=>(const PassRemark &) const = default;
};

/// A handler under one configuration, as a person may want to compare it with another.
struct Inspection {
  CodeCounts simplified; ///< Constants folded and dead code gone; loops as they were written.
  CodeCounts optimized;  ///< As the full tier leaves it.
  std::vector<PassRemark> remarks; ///< Of the full tier's passes.
  /// What was asked for and changed nothing, or less than was asked for.
  std::vector<Remark> changed_nothing;
};

/// The code of a variant, for people.
struct Listing {
  std::string ir;
  std::string assembly;
};

/// How much of a variant's machine code comes from a function of the source.
struct FunctionSize {
  std::string function; ///< As a person reads it; in parentheses: from none.
  std::uint64_t bytes = 0;
};

/// A place in a handler, or in what is specialized along with it, that carries a label.
struct MarkedPlace {
  std::string label;
  std::string file;
  unsigned line = 0;
  std::string problem; ///< Why it stays generic whatever it is set to; empty where it does not.
  bool is_used = true; ///< Whether anything is computed from its value.
};

/// What a module file's code wants of the program that it is to run in, by name.
struct Wanted {
  std::vector<std::string> names; ///< What it refers to.
  /// Functions of its own that are called while a variant is made.
  std::vector<Foldable> folded;
};

/// Looks at what specializing would make of a handler, without running anything. Nothing needs to
/// have an address. One thread at a time. `handler` is a name of HandlerModule::handlers;
/// configurations have been checked and fitted. Settings of handlers for the kernel (`const
/// volatile`) are those that the object file has.
class Inspector {
public:
  virtual ~Inspector() = default;

  /// Counts the code behind the guards: guards are left away, and with them the cold copy of the
  /// generic code that side exits lead to. Fails as specialize() and optimize() do.
  virtual Result<Inspection> inspect(core::Context context) = 0;

  /// The variant as it would run. Fails as specialize(), optimize() and generate_assembly() do.
  virtual Result<Listing> list(const core::Context &context, const Pipeline &pipeline) = 0;

  /// What of its machine code, guards and side exits included, comes from which function: largest
  /// first. Fails as list() does.
  virtual Result<std::vector<FunctionSize>> sizes(const core::Context &context,
                                                  const Pipeline &pipeline) = 0;

  /// Nothing, or why the variant would be refused: not_constant.
  virtual Result<void> check(const core::Context &context) = 0;

  /// Every place with a point that the handler reaches, in program order.
  virtual std::vector<MarkedPlace> places(const std::string &handler) = 0;

  virtual Wanted wanted() = 0;

  /// The maps of an object for the kernel that are marked as read-mostly and whose content folds,
  /// without it.
  virtual std::map<std::string, KernelMap, std::less<>> kernel_maps() = 0;
};

} // namespace sartor::core

#endif
