// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/view/variant_code.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <system_error>
#include <utility>

#include <sartor/configuration.hpp>

#include "base/json.h"
#include "core/space/readable_name.h"
#include "tools/cli/explain.h"
#include "tools/cli/explain_all.h"

namespace sartor::view {

namespace {

using Json = nlohmann::ordered_json;

constexpr unsigned kLinesAround = 40; // of the source, before and after points
constexpr std::size_t kMostSource = std::size_t{256} << 10;

std::string text_of(const Json &event, const char *field) {
  const auto found = event.find(field);
  return found != event.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Returns what `sartor explain --ir --asm --json` says of one handler.
Result<Json> explained(const std::vector<cli::Handlers> &all, const std::string &handler,
                       const std::string &configuration) {
  try {
    const auto reported =
        cli::explain_all(all, {.handler = handler,
                               .label = "",
                               .configuration = Configuration::from_json(configuration),
                               .maps = {},
                               .show = {.ir = true, .assembly = true}});
    if (!reported)
      return std::unexpected(reported.error());
    const auto json = parse_json(reported->json);
    if (!json)
      return std::unexpected(json.error());
    return json->at("handlers").at(0);
  } catch (const Error &error) {
    return std::unexpected(error.failure());
  }
}

Json source_of(const std::string &path, unsigned first, unsigned last) {
  Json json{{"file", path}};
  std::error_code error;
  std::ifstream file;
  if (std::filesystem::is_regular_file(path, error))
    file.open(path);
  first = first > kLinesAround ? first - kLinesAround : 1;
  std::string text;
  unsigned number = 0;
  for (std::string line; number < last + kLinesAround && std::getline(file, line);)
    if (++number >= first && text.size() + line.size() < kMostSource)
      text += (number == first ? "" : "\n") + line;
  if (text.empty())
    json["error"] = "the source is not on this machine";
  json["first"] = first;
  json["text"] = std::move(text);
  return json;
}

void add_sites(const std::vector<cli::Handlers> &all, Json &json) {
  std::map<std::string, std::pair<unsigned, unsigned>> files; // the first and last line
  json["sites"] = Json::array();
  for (const cli::Handlers &each : all)
    for (const Point &point : each.module.space.points())
      for (const Site &site : point.sites) {
        json["sites"].push_back({{"label", point.label},
                                 {"file", site.file},
                                 {"line", site.line},
                                 {"handlers", point.handlers}});
        const auto at = files.try_emplace(site.file, site.line, site.line).first;
        at->second = {std::min(at->second.first, site.line),
                      std::max(at->second.second, site.line)};
      }
  json["sources"] = Json::array();
  for (const auto &[file, lines] : files)
    json["sources"].push_back(source_of(file, lines.first, lines.second));
}

} // namespace

Result<VariantCode> VariantCode::of(const std::string &program) {
  auto all = cli::handlers_in(program);
  if (!all)
    return std::unexpected(std::move(all.error()));
  return VariantCode(std::move(*all));
}

void VariantCode::note(const Json &event) {
  const std::string kind = text_of(event, "event"), text = text_of(event, "text");
  if (kind == "decide")
    chosen_.insert(text);
  const auto configuration = event.find("configuration");
  if ((kind != "compile" && kind != "load") || configuration == event.end() ||
      !configuration->is_object() || configuration->empty())
    return;
  std::string handler = text_of(event, "handler");
  if (known_.emplace(handler, text).second)
    variants_.push_back({std::move(handler), text, dump(*configuration)});
}

std::vector<VariantCode::Variant> VariantCode::ordered() const {
  std::vector<Variant> ordered;
  for (const bool is_chosen : {true, false})
    for (const Variant &each : variants_)
      if (chosen_.contains(each.text) == is_chosen && ordered.size() < limit)
        ordered.push_back(each);
  return ordered;
}

Json VariantCode::json() const {
  Json generic = Json::object(), variants = Json::array();
  for (const Variant &each : ordered()) {
    const std::string handler = core::readable_name(each.handler);
    Json variant{{"text", each.text}, {"name", each.handler}, {"handler", handler}};
    auto made = explained(all_, each.handler, each.configuration);
    if (!made) {
      variant["error"] = made.error().text();
      variants.push_back(std::move(variant));
      continue;
    }
    generic[handler] = {{"ir", made->at("ir").at("generic")},
                        {"assembly", cli::instructions_of(made->at("assembly").at("generic"))}};
    variant["points"] = std::move(made->at("points"));
    if (made->contains("refused"))
      variant["refused"] = std::move(made->at("refused"));
    variant["ir"] = std::move(made->at("ir").at("variant"));
    variant["assembly"] = cli::instructions_of(made->at("assembly").at("variant"));
    variants.push_back(std::move(variant));
  }
  Json json{{"limit", limit},
            {"left_out", variants_.size() - variants.size()},
            {"generic", std::move(generic)},
            {"variants", std::move(variants)}};
  add_sites(all_, json);
  return json;
}

} // namespace sartor::view
