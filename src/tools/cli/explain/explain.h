// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_EXPLAIN_EXPLAIN_H
#define SARTOR_TOOLS_CLI_EXPLAIN_EXPLAIN_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include <sartor/remark.hpp>

#include "base/result.h"
#include "core/compiler/comparability.h"
#include "core/compiler/inspect.h"
#include "core/request/kernel_memory.h"
#include "core/space/module.h"
#include "tools/cli/handlers_in.h"
#include "tools/cli/kernel_word.h"

namespace sartor::cli {

/// The quantity that a Difference counts.
enum class Measure : unsigned char {
  work,       ///< The work of the optimizer's passes.
  simplified, ///< Code with constants folded; its loops are those of the source.
  optimized,  ///< The code that would run.
};

/// A count in two versions of the code.
struct Difference {
  Measure measure = Measure::work;
  std::string one;  ///< `loop unrolled`.
  std::string many; ///< `loops unrolled`.
  int before = 0;
  int after = 0;
};

/// The effect of one point.
struct PointReport {
  std::string label;
  std::optional<Setting> setting; ///< Empty if it is not in the configuration.
  bool reached = false;           ///< The handler reaches it.
  bool specialized = false;
  bool is_template = false; ///< The point's value is only an operand.
  /// The reasons why it, or some of its uses, stays generic.
  std::vector<std::string> reasons;
  /// The differences between the configuration without this point and the whole configuration.
  std::vector<Difference> effects;
};

/// An optimization that LLVM did not perform, and the reason.
struct Missed {
  std::string pass;
  std::string message;
  std::string file; ///< Empty without debug information.
  unsigned line = 0;
  int times = 0;
};

/// The report on a handler in the kernel.
struct KernelReport {
  std::uint64_t generic_instructions = 0; ///< The number of BPF instructions in the object.
  std::uint64_t variant_instructions = 0;
  std::optional<KernelCounts> generic; ///< Empty if the kernel has not reported it.
  std::optional<KernelCounts> variant;
  std::string not_reported; ///< The reason.
};

/// The effect of a configuration on one handler.
struct Report {
  std::string handler; ///< In readable form.
  Configuration configuration;
  std::vector<std::string> invariant_maps; ///< Maps whose content is part of the variant.
  std::vector<PointReport> points;
  std::vector<Difference> whole;       ///< From generic code to the configuration.
  std::vector<Remark> changed_nothing; ///< Settings without effect, and the reasons.
  std::vector<Missed> missed;
  std::optional<Failure> refused; ///< The reason why the runtime would not make this variant.
  /// How calls can be compared with the native code. Empty for handlers in the kernel.
  std::optional<core::Comparability> comparability;
  std::vector<core::FunctionSize> generic_sizes; ///< The code size by source function.
  std::vector<core::FunctionSize> variant_sizes;
  std::optional<core::Listing> generic_listing;
  std::optional<core::Listing> variant_listing;
  std::optional<KernelReport> kernel; ///< For handlers in the kernel.

  /// True if there is another version than the generic one.
  [[nodiscard]] bool compares() const { return !configuration.empty() || !invariant_maps.empty(); }
};

/// Optional parts of the output.
struct Show {
  bool ir = false;
  bool assembly = false;
  bool sizes = false;
  bool origins = false; ///< Adds to the JSON the code with the source line of each line.

  [[nodiscard]] bool listings() const { return ir || assembly || origins; }
};

/// The assumptions under which handlers are explained.
struct Assumed {
  Configuration configuration;                    ///< Checked and fitted.
  std::shared_ptr<const core::KernelMemory> maps; ///< Null if no map is invariant.
  std::string only;                               ///< The only point to report; empty for all.
};

/// `word` is the kernel's report on the object, for handlers in the kernel. Fails as specialize()
/// and optimize() do.
Result<Report> explain(const Handlers &from, const core::HandlerModule::Handler &handler,
                       const Assumed &assumed, const KernelWord &word, Show show);

/// Returns remarks with what to do, as a part of a report; empty without remarks.
std::string remarks_text(const std::vector<Remark> &remarks);
/// Returns `[{"code": CODE, "message": TEXT, "meaning": SENTENCE, "fix": TEXT, "reference":
/// PLACE}]`.
nlohmann::ordered_json remarks_json(const std::vector<Remark> &remarks);
/// Returns a table of sizes; of two versions, if `variant` is not null.
std::string sizes_text(const std::vector<core::FunctionSize> &sizes,
                       const std::vector<core::FunctionSize> *variant);
nlohmann::ordered_json json_of(const std::vector<core::FunctionSize> &sizes);
std::string text_of(const Report &report, Show show);
nlohmann::ordered_json json_of(const Report &report, Show show);

} // namespace sartor::cli

#endif
