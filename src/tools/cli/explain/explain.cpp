// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/explain/explain.h"

#include <algorithm>
#include <array>
#include <utility>

#include "tools/cli/space.h"

namespace sartor::cli {

namespace {

using core::CodeCounts;
using core::Inspection;
using core::MarkedPlace;
using core::PassRemark;

/// A remark of a pass; an empty name stands for all of the pass's remarks.
struct Work {
  std::string_view pass;
  std::string_view name;
  const char *one;
  const char *many;
};

constexpr std::array kWork{
    Work{"loop-unroll", "FullyUnrolled", "loop unrolled completely", "loops unrolled completely"},
    Work{"loop-unroll", "PartialUnrolled", "loop unrolled in part", "loops unrolled in part"},
    Work{"loop-unroll", "Peeled", "loop peeled", "loops peeled"},
    Work{"loop-vectorize", "Vectorized", "loop vectorized", "loops vectorized"},
    Work{"loop-vectorize", "Interleaved", "loop interleaved", "loops interleaved"},
    Work{"slp-vectorizer", "", "group of scalars vectorized", "groups of scalars vectorized"},
    Work{"loop-delete", "", "loop deleted", "loops deleted"},
    Work{"loop-idiom", "", "loop made a memory operation", "loops made memory operations"},
    Work{"inline", "Inlined", "call inlined", "calls inlined"},
    Work{"gvn", "LoadElim", "load eliminated", "loads eliminated"},
};

struct Count {
  int CodeCounts::*member;
  const char *one;
  const char *many;
};

constexpr std::array kCounts{
    Count{&CodeCounts::branches, "branch", "branches"},
    Count{&CodeCounts::loads, "load", "loads"},
    Count{&CodeCounts::stores, "store", "stores"},
    Count{&CodeCounts::calls, "call", "calls"},
    Count{&CodeCounts::loops, "loop", "loops"},
    Count{&CodeCounts::vector_instructions, "vector instruction", "vector instructions"},
    Count{&CodeCounts::instructions, "instruction", "instructions"},
};

// The passes whose missed optimizations affect the speed of a loop or a call.
constexpr std::array<std::string_view, 4> kReporter{"loop-vectorize", "loop-unroll", "inline",
                                                    "gvn"};

int times(const Inspection &inspection, const Work &work) {
  return static_cast<int>(std::ranges::count_if(inspection.remarks, [&](const PassRemark &remark) {
    return remark.done && remark.pass == work.pass &&
           (work.name.empty() || remark.name == work.name);
  }));
}

std::vector<Difference> compare(const Inspection &before, const Inspection &after) {
  std::vector<Difference> all;
  for (const Work &work : kWork)
    all.push_back({Measure::work, work.one, work.many, times(before, work), times(after, work)});
  for (const Count &count : kCounts)
    all.push_back({Measure::simplified, count.one, count.many, before.simplified.*count.member,
                   after.simplified.*count.member});
  for (const Count &count : kCounts)
    all.push_back({Measure::optimized, count.one, count.many, before.optimized.*count.member,
                   after.optimized.*count.member});
  return all;
}

std::vector<Missed> missed(const Inspection &inspection) {
  std::vector<Missed> all;
  for (const PassRemark &remark : inspection.remarks) {
    if (remark.done || std::ranges::find(kReporter, remark.pass) == kReporter.end())
      continue;
    const auto known = std::ranges::find_if(all, [&](const Missed &other) {
      return other.pass == remark.pass && other.message == remark.message &&
             other.file == remark.file && other.line == remark.line;
    });
    if (known == all.end())
      all.push_back({remark.pass, remark.message, remark.file, remark.line, 1});
    else
      ++known->times;
  }
  return all;
}

PointReport report_point(const Point &point, const Configuration &configuration,
                         const std::vector<MarkedPlace> &places) {
  PointReport report;
  report.label = point.label;
  report.is_template = point.is_operand;
  if (const Setting *setting = configuration.find(point.label))
    report.setting = *setting;
  bool can_be_specialized = false;
  for (const MarkedPlace &place : places) {
    if (place.label != point.label)
      continue;
    report.reached = true;
    if (place.problem.empty() && place.is_used) {
      can_be_specialized = true;
      continue;
    }
    const std::string reason = place.file + ":" + std::to_string(place.line) + ": " +
                               (place.is_used ? place.problem : "its result is not used");
    if (std::ranges::find(report.reasons, reason) == report.reasons.end())
      report.reasons.push_back(reason);
  }
  report.specialized = report.setting && can_be_specialized;
  if (!report.reached)
    report.reasons.emplace_back("not reachable from this handler");
  else if (!report.setting && can_be_specialized)
    report.reasons.emplace_back("not in the configuration; can be set to " + choices_text(point));
  return report;
}

core::Context context_of(const core::HandlerModule::Handler &handler,
                         const Configuration &configuration,
                         std::shared_ptr<const core::KernelMemory> maps) {
  core::Context context;
  context.handler = handler.name;
  context.configuration = configuration;
  context.kernel = std::move(maps);
  return context;
}

/// Returns the settings that have no effect on the code.
std::vector<Remark> changed_nothing(const Inspection &variant) {
  std::vector<Remark> reported = variant.changed_nothing;
  std::ranges::sort(reported);
  reported.erase(std::ranges::unique(reported).begin(), reported.end());
  return reported;
}

constexpr std::uint64_t kInstructionBytes = 8; ///< The size of a BPF instruction.

std::uint64_t instructions_in(const std::vector<core::FunctionSize> &sizes) {
  std::uint64_t bytes = 0;
  for (const core::FunctionSize &each : sizes)
    bytes += each.bytes;
  return bytes / kInstructionBytes;
}

std::optional<KernelCounts> counts_of(const std::map<std::string, KernelCounts, std::less<>> &all,
                                      const std::string &handler) {
  const auto found = all.find(handler);
  return found == all.end() ? std::nullopt : std::optional(found->second);
}

} // namespace

Result<Report> explain(const Handlers &from, const core::HandlerModule::Handler &handler,
                       const Assumed &assumed, const KernelWord &word, Show show) {
  const core::HandlerModule &module = from.module;
  const auto inspector = from.compiler->make_inspector(module);
  Report report;
  report.handler = handler.readable_name();
  report.configuration = module.space.restrict(assumed.configuration, handler.name);
  if (assumed.maps)
    for (const auto &[name, map] : assumed.maps->maps)
      report.invariant_maps.push_back(name);
  const auto generic_code = context_of(handler, {}, nullptr);
  const auto variant_code = context_of(handler, report.configuration, assumed.maps);

  auto generic = inspector->inspect(generic_code);
  if (!generic)
    return std::unexpected(std::move(generic.error()));
  auto variant = inspector->inspect(variant_code);
  if (!variant)
    return std::unexpected(std::move(variant.error()));
  report.whole = compare(*generic, *variant);
  report.missed = missed(*variant);
  report.changed_nothing = changed_nothing(*variant);

  const auto places = inspector->places(handler.name);
  for (const Point &point : module.space.points()) {
    if (!assumed.only.empty() && point.label != assumed.only)
      continue;
    PointReport reported = report_point(point, assumed.configuration, places);
    if (reported.specialized) {
      auto without = inspector->inspect(context_of(
          handler, Configuration(report.configuration).unset(point.label), assumed.maps));
      if (!without)
        return std::unexpected(std::move(without.error()));
      reported.effects = compare(*without, *variant);
    }
    report.points.push_back(std::move(reported));
  }

  if (report.compares())
    if (auto checked = inspector->check(variant_code); !checked)
      report.refused = std::move(checked.error());
  if (show.listings()) {
    auto left = inspector->list(generic_code, {});
    auto right = inspector->list(variant_code, {});
    if (!left || !right)
      return std::unexpected(std::move(left ? right.error() : left.error()));
    report.generic_listing = std::move(*left);
    report.variant_listing = std::move(*right);
  }
  const bool is_for_kernel = !from.kernel_object.empty();
  if (!is_for_kernel)
    report.comparability = inspector->comparability(handler.name);
  if (show.sizes || is_for_kernel) {
    auto left = inspector->sizes(generic_code, {});
    auto right = inspector->sizes(variant_code, {});
    if (!left || !right)
      return std::unexpected(std::move(left ? right.error() : left.error()));
    report.generic_sizes = std::move(*left);
    report.variant_sizes = std::move(*right);
  }
  if (!report.refused)
    report.refused = word.refused;
  if (is_for_kernel)
    report.kernel = {instructions_in(report.generic_sizes), instructions_in(report.variant_sizes),
                     counts_of(word.generic, handler.name), counts_of(word.variant, handler.name),
                     word.not_reported};
  return report;
}

} // namespace sartor::cli
