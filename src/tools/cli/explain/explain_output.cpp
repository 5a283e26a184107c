// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/explain/explain.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <utility>

#include "base/remark_help.h"
#include "base/text/fold_report_json.h"
#include "tools/cli/code_lines.h"
#include "tools/cli/layout.h"

namespace sartor::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostMissed = 8;

// Counts of work increase (a pass did more), counts of code decrease (a load is gone).
std::string effect(const Difference &difference) {
  const int more = difference.after - difference.before;
  const std::string what = more == 1 || more == -1 ? difference.one : difference.many;
  const std::string number = std::to_string(std::abs(more)) + " ";
  if (difference.measure != Measure::work)
    return more < 0 ? number + what + " gone" : number + "more " + what;
  if (more < 0)
    return number + "fewer " + what;
  return number + (difference.before > 0 ? "more " : "") + what;
}

// The optimized code is compared as a whole only: code that one point's value has unrolled contains
// more copies of everything that another point's value removes.
std::string effects_text(const std::vector<Difference> &effects) {
  std::vector<std::string> parts;
  for (const Difference &difference : effects)
    if (difference.measure != Measure::optimized && difference.before != difference.after)
      parts.push_back(effect(difference));
  return parts.empty() ? "nothing folded because of it" : joined(parts);
}

std::string values_text(const Setting &setting) {
  std::vector<std::string> values;
  for (const Value &value : setting.values)
    values.push_back(value.text());
  return joined(values, " or ") + (setting.guarded ? " (guarded)" : " (not guarded)");
}

std::string points_text(const std::vector<PointReport> &points) {
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> unreached;
  for (const PointReport &point : points) {
    if (!point.reached) {
      unreached.push_back(point.label);
      continue;
    }
    std::vector<std::string> lines;
    if (point.specialized) {
      lines.push_back("set to " + values_text(*point.setting));
      lines.push_back(effects_text(point.effects));
    }
    for (const std::string &reason : point.reasons)
      lines.push_back("generic: " + reason);
    if (point.is_template)
      lines.emplace_back("template: its value is only an operand; first code for another takes "
                         "microseconds");
    for (const std::string &line : lines)
      rows.push_back({&line == &lines.front() ? "  " + point.label : "", line});
  }
  std::string text = table(rows);
  if (!unreached.empty())
    text += "  not reachable from this handler: " + joined(unreached) + "\n";
  return text;
}

std::string_view heading(Measure measure) {
  switch (measure) {
  case Measure::work:
    return "  done by the optimiser";
  case Measure::simplified:
    return "  code, simplified (loops as written)";
  case Measure::optimized:
    return "  code, optimised";
  }
  std::unreachable();
}

std::string whole_text(const Report &report) {
  const bool compares = report.compares();
  std::vector<std::vector<std::string>> rows;
  auto add = [&](std::string what, std::string generic, std::string variant) {
    rows.push_back({std::move(what), std::move(generic)});
    if (compares)
      rows.back().push_back(std::move(variant));
  };
  for (const Measure measure : {Measure::work, Measure::simplified, Measure::optimized}) {
    add(std::string(heading(measure)), "generic", "variant");
    const auto headings = rows.size();
    for (const Difference &difference : report.whole)
      if (difference.measure == measure && (difference.before > 0 || difference.after > 0))
        add("    " + difference.many, std::to_string(difference.before),
            std::to_string(difference.after));
    if (rows.size() == headings)
      rows.pop_back();
  }
  return table(rows) +
         (compares ? "  The variant's counts are of the code behind its guards.\n" : "");
}

std::string kernel_text(const KernelReport &kernel, bool compares) {
  std::vector<std::vector<std::string>> rows{{"  in the kernel", "generic"}};
  const auto add = [&](const char *what, std::optional<std::uint64_t> generic,
                       std::optional<std::uint64_t> variant) {
    rows.push_back({what, generic ? std::to_string(*generic) : "?"});
    if (compares)
      rows.back().push_back(variant ? std::to_string(*variant) : "?");
  };
  if (compares)
    rows.front().emplace_back("variant");
  add("    instructions of BPF", kernel.generic_instructions, kernel.variant_instructions);
  const auto add_reported = [&](const char *what, std::uint64_t KernelCounts::*count) {
    const auto of = [&](const std::optional<KernelCounts> &reported) {
      return reported ? std::optional((*reported).*count) : std::nullopt;
    };
    add(what, of(kernel.generic), of(kernel.variant));
  };
  if (kernel.generic) {
    add_reported("    instructions walked by the verifier", &KernelCounts::verified);
    add_reported("    bytes of machine code", &KernelCounts::native_bytes);
  }
  std::string text = table(rows);
  if (!kernel.not_reported.empty())
    text += "  The kernel has not said " + std::string(kernel.generic ? "all" : "anything") +
            " of this: " + kernel.not_reported + "\n";
  return text;
}

Json to_json(const std::optional<KernelCounts> &counts, std::uint64_t instructions) {
  Json json{{"instructions", instructions}};
  if (counts) {
    json["verified_instructions"] = counts->verified;
    json["native_bytes"] = counts->native_bytes;
  }
  return json;
}

Json to_json(const KernelReport &kernel, bool compares) {
  Json json{{"generic", to_json(kernel.generic, kernel.generic_instructions)}};
  if (compares)
    json["variant"] = to_json(kernel.variant, kernel.variant_instructions);
  if (!kernel.not_reported.empty())
    json["not_reported"] = kernel.not_reported;
  return json;
}

std::string missed_text(const std::vector<Missed> &missed) {
  std::string text;
  for (const Missed &what : std::span(missed).first(std::min(missed.size(), kMostMissed))) {
    text += "    " + what.pass + ": " + what.message;
    if (!what.file.empty())
      text += " (" + std::filesystem::path(what.file).filename().string() + ":" +
              std::to_string(what.line) + ")";
    text += what.times > 1 ? " (" + std::to_string(what.times) + " times)\n" : "\n";
  }
  if (missed.size() > kMostMissed)
    text += "    and " + std::to_string(missed.size() - kMostMissed) + " more; see --json\n";
  return text;
}

std::string columns(const std::string &what, const std::string &generic,
                    const std::string &variant) {
  return "\n" + side_by_side(what + " of the generic code\n\n" + generic,
                             what + " of the variant, with its guards\n\n" + variant,
                             output_width());
}

Json to_json(const std::vector<Difference> &differences) {
  Json json{
      {"work", Json::object()}, {"simplified", Json::object()}, {"optimized", Json::object()}};
  constexpr std::array<const char *, 3> names{"work", "simplified", "optimized"};
  for (const Difference &difference : differences)
    json[names.at(static_cast<std::size_t>(difference.measure))][difference.many] = {
        {"before", difference.before}, {"after", difference.after}};
  return json;
}

Json to_json(const PointReport &point) {
  Json json{{"label", point.label}, {"specialized", point.specialized}};
  if (point.is_template)
    json["template"] = true;
  if (point.setting)
    json["setting"] = Json::parse(Configuration{{point.label, *point.setting}}.json())[point.label];
  if (!point.reasons.empty())
    json["reasons"] = point.reasons;
  if (point.specialized)
    json["effects"] = to_json(point.effects);
  return json;
}

} // namespace

std::string remarks_text(const std::vector<Remark> &remarks) {
  std::string text = remarks.empty() ? "" : "  changed nothing, or less than was asked for\n";
  for (const Remark &remark : remarks) {
    const RemarkHelp help = help_on(remark.code);
    text += "    " + remark.text() + "\n      " + std::string(help.meaning) +
            "\n      fix: " + std::string(help.fix) + " See " + anchor_of(remark.code) + ".\n";
  }
  return text;
}

nlohmann::ordered_json remarks_json(const std::vector<Remark> &remarks) {
  nlohmann::ordered_json json = to_json(remarks);
  for (std::size_t i = 0; i < remarks.size(); ++i) {
    const RemarkHelp help = help_on(remarks[i].code);
    json[i]["meaning"] = help.meaning;
    json[i]["fix"] = help.fix;
    json[i]["reference"] = anchor_of(remarks[i].code);
  }
  return json;
}

std::string sizes_text(const std::vector<core::FunctionSize> &sizes,
                       const std::vector<core::FunctionSize> *variant) {
  std::vector<std::vector<std::string>> rows{{"  code by function", "bytes"}};
  if (variant)
    rows.front() = {"  code by function", "generic", "variant"};
  const auto bytes_in = [](const std::vector<core::FunctionSize> &in, const std::string &function) {
    const auto found = std::ranges::find(in, function, &core::FunctionSize::function);
    return found == in.end() ? 0 : found->bytes;
  };
  const auto add = [&](const std::string &function) {
    rows.push_back({"    " + function, std::to_string(bytes_in(sizes, function))});
    if (variant)
      rows.back().push_back(std::to_string(bytes_in(*variant, function)));
  };
  for (const core::FunctionSize &each : variant ? *variant : sizes)
    add(each.function);
  for (const core::FunctionSize &each : sizes)
    if (variant && bytes_in(*variant, each.function) == 0)
      add(each.function);
  return table(rows);
}

Json json_of(const std::vector<core::FunctionSize> &sizes) {
  Json json = Json::object();
  for (const core::FunctionSize &each : sizes)
    json[each.function] = each.bytes;
  return json;
}

std::string text_of(const Report &report, Show show) {
  std::string text = report.handler + report.configuration.text() + "\n";
  if (!report.invariant_maps.empty())
    text += "  with the content of " + joined(report.invariant_maps) + "\n";
  text += "\n";
  text += report.points.empty() ? "  no points\n" : points_text(report.points);
  if (report.comparability)
    text += "\n  compared: " + core::text_of(*report.comparability) + "\n";
  text += "\n" + whole_text(report);
  if (report.kernel)
    text += "\n" + kernel_text(*report.kernel, report.compares());
  if (!report.changed_nothing.empty())
    text += "\n" + remarks_text(report.changed_nothing);
  if (!report.missed.empty())
    text += "\n  not done by the optimiser\n" + missed_text(report.missed);
  if (show.sizes)
    text += "\n" +
            sizes_text(report.generic_sizes, report.compares() ? &report.variant_sizes : nullptr);
  const auto &generic = report.generic_listing;
  const auto &variant = report.variant_listing;
  if (show.ir)
    text += columns("IR", generic->ir, variant->ir);
  if (show.assembly)
    text +=
        columns("Assembly", instructions_of(generic->assembly), instructions_of(variant->assembly));
  return text;
}

Json json_of(const Report &report, Show show) {
  Json points = Json::array();
  for (const PointReport &point : report.points)
    points.push_back(to_json(point));
  Json not_done = Json::array();
  for (const Missed &what : report.missed) {
    Json each{{"pass", what.pass}, {"message", what.message}, {"times", what.times}};
    if (!what.file.empty()) {
      each["file"] = what.file;
      each["line"] = what.line;
    }
    not_done.push_back(std::move(each));
  }
  Json json{{"handler", report.handler},
            {"configuration", Json::parse(report.configuration.json())},
            {"points", std::move(points)},
            {"whole", to_json(report.whole)},
            {"not_done", std::move(not_done)}};
  if (!report.invariant_maps.empty())
    json["invariant_maps"] = report.invariant_maps;
  if (!report.changed_nothing.empty())
    json["changed_nothing"] = remarks_json(report.changed_nothing);
  if (report.comparability)
    json["compared"] = core::to_json(*report.comparability);
  if (report.kernel)
    json["kernel"] = to_json(*report.kernel, report.compares());
  if (report.refused)
    json["refused"] = report.refused->text();
  if (show.sizes)
    json["sizes"] = {{"generic", json_of(report.generic_sizes)},
                     {"variant", json_of(report.variant_sizes)}};
  if (show.ir)
    json["ir"] = {{"generic", report.generic_listing->ir}, {"variant", report.variant_listing->ir}};
  if (show.assembly)
    json["assembly"] = {{"generic", report.generic_listing->assembly},
                        {"variant", report.variant_listing->assembly}};
  if (show.origins)
    json["code"] = {{"generic", json_of(*report.generic_listing)},
                    {"variant", json_of(*report.variant_listing)}};
  return json;
}

} // namespace sartor::cli
