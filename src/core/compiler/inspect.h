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
#include "core/compiler/comparability.h"
#include "core/request/context.h"
#include "core/request/foldable.h"
#include "core/request/kernel_memory.h"

namespace sartor::core {

/// Numbers of instructions and structures in a piece of IR.
struct CodeCounts {
  int instructions = 0;
  int branches = 0; ///< Conditional ones, including switches.
  int loads = 0;
  int stores = 0;
  int calls = 0; ///< Without LLVM's intrinsics, which become instructions.
  int loops = 0;
  int vector_instructions = 0;
};

/// A remark of one of LLVM's passes.
struct PassRemark {
  std::string pass;
  std::string name;
  std::string message;
  bool done = false;
  std::string file = {}; ///< Empty without debug information.
  unsigned line = 0;

  auto operator<=>(const PassRemark &) const = default;
};

/// A handler under one configuration, in a form that people can compare with others.
struct Inspection {
  CodeCounts simplified;           ///< Constants folded and dead code removed; loops as written.
  CodeCounts optimized;            ///< After the full tier's optimization.
  std::vector<PassRemark> remarks; ///< Remarks of the full tier's passes.
  /// Requests that had no effect, or less than the full effect.
  std::vector<Remark> changed_nothing;
};

/// A line of a source file.
struct SourceLine {
  std::uint32_t file = 0; ///< Index in Listing::files.
  std::uint32_t line = 0;

  auto operator<=>(const SourceLine &) const = default;
};

/// Where a line of IR or assembly comes from.
struct Origin {
  /// The line, then the lines of the calls that were inlined, innermost first. Empty if not known.
  std::vector<SourceLine> lines;
  bool is_unlikely = false; ///< It is behind a branch that is rarely taken, such as a side exit.
};

/// The code of a variant, for people.
struct Listing {
  std::string ir;
  std::string assembly;
  std::vector<std::string> files; ///< Paths as the compiler has recorded them.
  std::vector<Origin> origins;    ///< The first one knows nothing.
  /// Indices in `origins`, one for each line of the text. Code for the kernel has none for
  /// assembly.
  std::vector<std::uint32_t> ir_origins;
  std::vector<std::uint32_t> assembly_origins;
};

/// Amount of a variant's machine code that comes from one function of the source.
struct FunctionSize {
  std::string function; ///< Readable name; in parentheses: not from a function.
  std::uint64_t bytes = 0;
};

/// A labelled position in a handler, or in code that is specialized along with it.
struct MarkedPlace {
  std::string label;
  std::string file;
  unsigned line = 0;
  std::string problem; ///< The reason why it always stays generic; empty if it does not.
  bool is_used = true; ///< True if its value is used.
};

/// Symbols of the program that the code of a module file requires.
struct Wanted {
  std::vector<std::string> names; ///< Symbols that it refers to.
  /// Its own functions that are called while a variant is made.
  std::vector<Foldable> folded;
};

/// Inspects the result of specializing a handler, without running any code. Symbols need not have
/// addresses. For one thread at a time. `handler` is a name of HandlerModule::handlers;
/// configurations have been checked and fitted. Settings of handlers for the kernel (`const
/// volatile`) are those of the object file.
class Inspector {
public:
  virtual ~Inspector() = default;

  /// Counts the code behind the guards: guards are removed, and with them the copy of the generic
  /// code that side exits go to. Fails with the errors of specialize() and optimize().
  virtual Result<Inspection> inspect(core::Context context) = 0;

  /// The variant in its final form. Fails with the errors of specialize(), optimize() and
  /// generate_assembly().
  virtual Result<Listing> list(const core::Context &context, const Pipeline &pipeline) = 0;

  /// The size of its machine code, including guards and side exits, by function of origin: largest
  /// first. Fails with the errors of list().
  virtual Result<std::vector<FunctionSize>> sizes(const core::Context &context,
                                                  const Pipeline &pipeline) = 0;

  /// Fails with not_constant if the variant would be refused.
  virtual Result<void> check(const core::Context &context) = 0;

  /// Every point that the handler reaches, in program order.
  virtual std::vector<MarkedPlace> places(const std::string &handler) = 0;

  /// How calls of the handler's variants can be compared with the native code: the decision of
  /// Maker::checking_stub().
  virtual Comparability comparability(const std::string &handler) = 0;

  virtual Wanted wanted() = 0;

  /// The maps of an object for the kernel that are marked as read-mostly and whose content can be
  /// folded, without the content.
  virtual std::map<std::string, KernelMap, std::less<>> kernel_maps() = 0;
};

} // namespace sartor::core

#endif
