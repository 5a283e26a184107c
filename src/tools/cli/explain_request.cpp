// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/explain_request.h"

#include <fstream>
#include <iterator>
#include <memory>
#include <utility>

#include "base/folded_json.h"
#include "core/compiler/no_deadline.h"
#include "remote/protocol/recorded_request.h"
#include "remote/server/replay.h"
#include "runtime/jit/choose_compiler.h"
#include "tools/cli/layout.h"

namespace sartor::cli {

namespace {

using Json = nlohmann::ordered_json;

Result<remote::RecordedRequest> read(const std::string &file) {
  std::ifstream in(file, std::ios::binary);
  std::string bytes((std::istreambuf_iterator<char>(in)), {});
  if (!in.is_open() || in.bad())
    return std::unexpected(Failure{ErrorCode::file_error, file, "cannot be read",
                                   "name a file that Options::record_requests has made"});
  return remote::unpack_request(file, bytes);
}

void name_facts(Folded &folded, const std::vector<remote::RecordedRequest::Promise> &promises) {
  for (FoldedPromise &each : folded.promises)
    for (const auto &recorded : promises)
      if (recorded.number == each.promise)
        each.fact = recorded.fact;
}

std::string promises_text(const Folded &folded) {
  std::vector<std::vector<std::string>> rows{{"  promised memory", "loads folded", ""}};
  for (const FoldedPromise &promise : folded.promises)
    rows.push_back({"    " + name_of(promise), std::to_string(promise.loads),
                    !promise.leant_on    ? "changed nothing"
                    : promise.loads == 0 ? "leant on by functions that were called"
                                         : ""});
  return table(rows);
}

std::string loops_text(const Folded &folded) {
  std::vector<std::vector<std::string>> rows{{"  loops over it", ""}};
  for (const FoldedLoop &loop : folded.loops) {
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

Result<RequestStory> explain_request(const std::string &file, core::HandlerModule module,
                                     Show show) {
  auto request = read(file);
  if (!request)
    return std::unexpected(std::move(request.error()));
  const auto context = remote::to_context(*request, module);
  if (!context)
    return std::unexpected(context.error());
  auto compiler = runtime::inside_compiler();
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

  RequestStory story;
  story.variant = request->order.symbol;
  story.handler = context->handler;
  story.configuration = context->configuration;
  for (const auto &[index, value] : context->arguments)
    story.arguments.push_back(std::to_string(index + 1) + " = " + value.text());
  if (request->order.memory)
    for (const auto &region : request->order.memory->regions)
      story.promised_bytes += region.bytes.size();
  story.folded = image->folded;
  story.folded.promises = (*draft)->folded.promises;
  name_facts(story.folded, request->promises);
  story.code_bytes = image->code.size() + image->data.size() + image->zeroed;
  story.remarks = (*draft)->remarks;
  for (Remark &remark : remarks_of(story.folded))
    story.remarks.push_back(std::move(remark));
  for (const std::string &label : request->generated)
    story.remarks.push_back(
        {RemarkCode::generator_not_run,
         "the point \"" + label +
             "\" is left generic here: a generator of the program's builds it"});
  if (!show.listings() && !show.sizes)
    return story;
  const auto inspector = (*compiler)->make_inspector(*shared);
  if (show.sizes) {
    auto sizes = inspector->sizes(*context, purpose.pipeline);
    if (!sizes)
      return std::unexpected(std::move(sizes.error()));
    story.sizes = std::move(*sizes);
  }
  if (show.listings()) {
    auto listing = inspector->list(*context, purpose.pipeline);
    if (!listing)
      return std::unexpected(std::move(listing.error()));
    story.listing = std::move(*listing);
  }
  return story;
}

std::string text_of(const RequestStory &story, Show show) {
  std::string text = story.variant + "\n\n";
  if (!story.arguments.empty())
    text += "  bound arguments: " + joined(story.arguments) + "\n";
  text += "  " + std::to_string(story.promised_bytes) + " bytes of promised memory in reach\n\n";
  if (!story.folded.promises.empty())
    text += promises_text(story.folded);
  if (!story.folded.loops.empty())
    text += loops_text(story.folded);
  text += table(std::vector<std::vector<std::string>>{
      {"  left in the code", ""},
      {"    jumps by a pointer", std::to_string(story.folded.indirect_jumps)},
      {"    calls by a pointer", std::to_string(story.folded.indirect_calls)},
      {"    bytes", std::to_string(story.code_bytes)}});
  if (!story.remarks.empty())
    text += "  changed nothing, or less than was asked for\n";
  for (const Remark &remark : story.remarks)
    text += "    " + remark.text() + "\n";
  if (show.sizes)
    text += "\n" + sizes_text(story.sizes, nullptr);
  if (show.ir)
    text += "\nIR\n\n" + story.listing->ir;
  if (show.assembly)
    text += "\nAssembly\n\n" + instructions_of(story.listing->assembly);
  return text;
}

Json json_of(const RequestStory &story, Show show) {
  Json json{{"variant", story.variant},
            {"handler", story.handler},
            {"configuration", Json::parse(story.configuration.json())},
            {"arguments", story.arguments},
            {"promised_bytes", story.promised_bytes},
            {"folded", to_json(story.folded)},
            {"code_bytes", story.code_bytes},
            {"remarks", to_json(story.remarks)}};
  if (show.sizes)
    json["sizes"] = json_of(story.sizes);
  if (show.ir)
    json["ir"] = story.listing->ir;
  if (show.assembly)
    json["assembly"] = story.listing->assembly;
  return json;
}

} // namespace sartor::cli
