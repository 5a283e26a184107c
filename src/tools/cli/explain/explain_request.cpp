// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/explain/explain_request.h"

#include <memory>
#include <utility>

#include "base/file/regular_file.h"
#include "base/text/fold_report_json.h"
#include "core/compiler/no_deadline.h"
#include "remote/protocol/recorded_request.h"
#include "remote/server/replay.h"
#include "runtime/jit/choose_compiler.h"
#include "tools/cli/code_lines.h"
#include "tools/cli/layout.h"

namespace sartor::cli {

namespace {

using Json = nlohmann::ordered_json;

Result<remote::RecordedRequest> read(const std::string &file) {
  const auto bytes = base::read_regular_file(file);
  if (!bytes)
    return std::unexpected(Failure{ErrorCode::file_error, file, bytes.error(),
                                   "name a file that Options::record_requests has made"});
  return remote::unpack_request(file, *bytes);
}

void name_quasi_invariants(FoldReport &fold_report,
                           const std::vector<remote::RecordedRequest::InvariantData> &invariants) {
  for (InvariantReport &each : fold_report.invariants)
    for (const auto &recorded : invariants)
      if (recorded.number == each.invariant)
        each.quasi_invariant = recorded.quasi_invariant;
}

std::string invariants_text(const FoldReport &fold_report) {
  std::vector<std::vector<std::string>> rows{{"  invariants", "loads folded", ""}};
  for (const InvariantReport &invariant : fold_report.invariants)
    rows.push_back({"    " + name_of(invariant), std::to_string(invariant.loads),
                    !invariant.depended_on ? "changed nothing"
                    : invariant.loads == 0 ? "used by functions that were called"
                                           : ""});
  return table(rows);
}

std::string loops_text(const FoldReport &fold_report) {
  std::vector<std::vector<std::string>> rows{{"  loops over them", ""}};
  for (const LoopReport &loop : fold_report.loops) {
    std::string what;
    if (loop.copies > 0)
      what = "followed: " + std::to_string(loop.copies) + (loop.copies == 1 ? " copy" : " copies") +
             (loop.why_not.empty() ? "" : "; then ");
    if (!loop.why_not.empty())
      what += "not followed: " + loop.why_not;
    rows.push_back({"    " + loop.function + (loop.line ? ":" + std::to_string(loop.line) : ""),
                    std::move(what)});
  }
  return table(rows);
}

} // namespace

Result<RequestReport> explain_request(const std::string &file, core::HandlerModule module,
                                      Show show) {
  auto request = read(file);
  if (!request)
    return std::unexpected(std::move(request.error()));
  const auto context = remote::to_context(*request, module);
  if (!context)
    return std::unexpected(context.error());
  auto compiler = runtime::in_process_compiler();
  if (!compiler)
    return std::unexpected(std::move(compiler.error()));
  const auto shared = std::make_shared<const core::HandlerModule>(std::move(module));
  const core::Purpose &purpose = request->order.purpose;
  const auto maker = (*compiler)->make_maker(shared);
  auto draft = maker->draft(*context, request->order.symbol, {purpose.tier, purpose.pipeline},
                            core::NoDeadline());
  if (!draft)
    return std::unexpected(std::move(draft.error()));
  const auto image = (*draft)->make(core::NoDeadline());
  if (!image)
    return std::unexpected(image.error());

  RequestReport report;
  report.variant = request->order.symbol;
  report.handler = context->handler;
  report.configuration = context->configuration;
  for (const auto &[index, value] : context->arguments)
    report.arguments.push_back(std::to_string(index + 1) + " = " + value.text());
  if (request->order.memory)
    for (const auto &region : request->order.memory->regions)
      report.invariant_bytes += region.bytes.size();
  report.fold_report = image->fold_report;
  report.fold_report.invariants = (*draft)->fold_report.invariants;
  name_quasi_invariants(report.fold_report, request->invariants);
  report.code_bytes = image->code.size() + image->data.size() + image->zeroed;
  report.remarks = (*draft)->remarks;
  for (Remark &remark : remarks_of(report.fold_report))
    report.remarks.push_back(std::move(remark));
  if (!show.listings() && !show.sizes)
    return report;
  const auto inspector = (*compiler)->make_inspector(*shared);
  if (show.sizes) {
    auto sizes = inspector->sizes(*context, purpose.pipeline);
    if (!sizes)
      return std::unexpected(std::move(sizes.error()));
    report.sizes = std::move(*sizes);
  }
  if (show.listings()) {
    auto listing = inspector->list(*context, purpose.pipeline);
    if (!listing)
      return std::unexpected(std::move(listing.error()));
    report.listing = std::move(*listing);
  }
  return report;
}

std::string text_of(const RequestReport &report, Show show) {
  std::string text = report.variant + "\n\n";
  if (!report.arguments.empty())
    text += "  bound arguments: " + joined(report.arguments) + "\n";
  text +=
      "  " + std::to_string(report.invariant_bytes) + " bytes of reachable invariant memory\n\n";
  if (!report.fold_report.invariants.empty())
    text += invariants_text(report.fold_report);
  if (!report.fold_report.loops.empty())
    text += loops_text(report.fold_report);
  text += table(std::vector<std::vector<std::string>>{
      {"  left in the code", ""},
      {"    jumps by a pointer", std::to_string(report.fold_report.indirect_jumps)},
      {"    calls by a pointer", std::to_string(report.fold_report.indirect_calls)},
      {"    bytes", std::to_string(report.code_bytes)}});
  text += remarks_text(report.remarks);
  if (show.sizes)
    text += "\n" + sizes_text(report.sizes, nullptr);
  if (show.ir)
    text += "\nIR\n\n" + report.listing->ir;
  if (show.assembly)
    text += "\nAssembly\n\n" + instructions_of(report.listing->assembly);
  return text;
}

Json json_of(const RequestReport &report, Show show) {
  Json json{{"variant", report.variant},
            {"handler", report.handler},
            {"configuration", Json::parse(report.configuration.json())},
            {"arguments", report.arguments},
            {"invariant_bytes", report.invariant_bytes},
            {"fold_report", to_json(report.fold_report)},
            {"code_bytes", report.code_bytes},
            {"remarks", remarks_json(report.remarks)}};
  if (show.sizes)
    json["sizes"] = json_of(report.sizes);
  if (show.ir)
    json["ir"] = report.listing->ir;
  if (show.assembly)
    json["assembly"] = report.listing->assembly;
  return json;
}

} // namespace sartor::cli
