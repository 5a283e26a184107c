// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_EXPLAIN_H
#define SARTOR_TOOLS_CLI_EXPLAIN_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <sartor/remark.hpp>

#include "base/result.h"
#include "core/compiler/inspect.h"
#include "core/request/kernel_memory.h"
#include "core/space/module.h"
#include "tools/cli/handlers_in.h"
#include "tools/cli/kernel_word.h"

namespace sartor::cli {

/// What a Difference counts.
enum class Measure : unsigned char {
  work,       ///< What the optimiser's passes did.
  simplified, ///< Code with constants folded, its loops as they were written.
  optimized,  ///< The code that would run.
};

/// How many there are of something, in two versions of the code.
struct Difference {
  Measure measure = Measure::work;
  std::string one;  ///< `loop unrolled`.
  std::string many; ///< `loops unrolled`.
  int before = 0;
  int after = 0;
};

/// What became of one point.
struct PointStory {
  std::string label;
  std::optional<Setting> setting; ///< Nothing where it is not in the configuration.
  bool reached = false;           ///< Whether the handler reaches it.
  bool specialized = false;
  bool is_template = false; ///< Its value is an operand alone.
  /// Why it, or some of its places, stays generic.
  std::vector<std::string> reasons;
  /// What differs between the configuration without this point and the whole of it.
  std::vector<Difference> effects;
};

/// Something that LLVM did not do, and why.
struct Missed {
  std::string pass;
  std::string message;
  int times = 0;
};

/// Of a handler in the kernel.
struct KernelStory {
  std::uint64_t generic_instructions = 0; ///< Of BPF, as the object has them.
  std::uint64_t variant_instructions = 0;
  std::optional<KernelCounts> generic; ///< Nothing where the kernel has not said it.
  std::optional<KernelCounts> variant;
  std::string not_told; ///< Why.
};

/// What a configuration changes in one handler.
struct Story {
  std::string handler; ///< As a person reads it.
  Configuration configuration;
  std::vector<std::string> promised; ///< Maps whose content is part of the variant.
  std::vector<PointStory> points;
  std::vector<Difference> whole;       ///< From generic to the configuration.
  std::vector<Remark> changed_nothing; ///< What was asked for, and why.
  std::vector<Missed> missed;
  std::optional<Failure> refused;                ///< Why the runtime would not make this variant.
  std::vector<core::FunctionSize> generic_sizes; ///< What of the code comes from which function.
  std::vector<core::FunctionSize> variant_sizes;
  std::optional<core::Listing> generic_listing;
  std::optional<core::Listing> variant_listing;
  std::optional<KernelStory> kernel; ///< Of handlers in the kernel.

  /// Whether there is another version than the generic one.
  [[nodiscard]] bool compares() const { return !configuration.empty() || !promised.empty(); }
};

/// What to print besides.
struct Show {
  bool ir = false;
  bool assembly = false;
  bool sizes = false;

  [[nodiscard]] bool listings() const { return ir || assembly; }
};

/// What handlers are to be explained under.
struct Assumed {
  Configuration configuration;                    ///< Checked and fitted.
  std::shared_ptr<const core::KernelMemory> maps; ///< Null: nothing is promised.
  std::string only;                               ///< The one point to tell of; empty: of all.
};

/// `word`: of handlers in the kernel, what that says of their object. Fails as specialize() and
/// optimize() do.
Result<Story> explain(const Handlers &from, const core::HandlerModule::Handler &handler,
                      const Assumed &assumed, const KernelWord &word, Show show);

/// A table of sizes; of two versions, where `variant` is not null.
std::string sizes_text(const std::vector<core::FunctionSize> &sizes,
                       const std::vector<core::FunctionSize> *variant);
nlohmann::ordered_json json_of(const std::vector<core::FunctionSize> &sizes);
/// Assembly without what is said to the linker, debuggers and unwinders.
std::string instructions_of(const std::string &assembly);

std::string text_of(const Story &story, Show show);
nlohmann::ordered_json json_of(const Story &story, Show show);

} // namespace sartor::cli

#endif
