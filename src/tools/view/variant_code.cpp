// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/view/variant_code.h"

#include <algorithm>
#include <utility>

#include <sartor/configuration.hpp>

#include "base/text/json.h"
#include "core/space/readable_name.h"
#include "tools/cli/explain/explain.h"
#include "tools/cli/explain/explain_all.h"
#include "tools/view/source_files.h"

namespace sartor::view {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMostNotDone = 500; // remarks of LLVM's passes on one variant

std::string text_of(const Json &event, const char *field) {
  const auto found = event.find(field);
  return found != event.end() && found->is_string() ? found->get<std::string>() : "";
}

/// Returns what `sartor explain --json` says of one handler, with its code.
Result<Json> explained(const std::vector<cli::Handlers> &all, const std::string &handler,
                       const std::string &configuration) {
  try {
    const auto reported =
        cli::explain_all(all, {.handler = handler,
                               .label = "",
                               .configuration = Configuration::from_json(configuration),
                               .maps = {},
                               .show = {.origins = true}});
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

/// Replaces the file numbers in a version's code by those of the page.
void add_files(Json &code, SourceFiles &files) {
  std::vector<std::size_t> file_of;
  for (const Json &path : code.at("files"))
    file_of.push_back(files.add(path.get<std::string>()));
  code.erase("files");
  for (Json &origin : code.at("origins"))
    for (Json &at : origin.at("at")) {
      const std::size_t file = file_of.at(at.at(0).get<std::size_t>());
      at.at(0) = file;
      files.use(file, at.at(1).get<unsigned>());
    }
}

/// Takes the first remarks, and adds the files of those that have one.
void add_files_of_remarks(Json &remarks, SourceFiles &files) {
  while (remarks.size() > kMostNotDone)
    remarks.erase(remarks.size() - 1);
  for (Json &remark : remarks)
    if (const auto path = remark.find("file"); path != remark.end()) {
      const std::size_t file = files.add(path->get<std::string>());
      files.use(file, remark.at("line").get<unsigned>());
      *path = file;
    }
}

Json sites_in(const std::vector<cli::Handlers> &all, SourceFiles &files) {
  Json sites = Json::array();
  for (const cli::Handlers &each : all)
    for (const Point &point : each.module.space.points())
      for (const Site &site : point.sites) {
        const std::size_t file = files.add_named(site.file);
        files.use(file, site.line);
        sites.push_back({{"label", point.label},
                         {"file", file},
                         {"line", site.line},
                         {"handlers", point.handlers}});
      }
  return sites;
}

} // namespace

Result<VariantCode> VariantCode::of(const std::string &program) {
  auto all = cli::handlers_in(program);
  if (!all)
    return std::unexpected(std::move(all.error()));
  return VariantCode(program, std::move(*all));
}

void VariantCode::note(const Json &event) {
  const std::string kind = text_of(event, "event"), text = text_of(event, "text");
  if (kind == "decide")
    chosen_.insert(text);
  const auto configuration = event.find("configuration");
  if ((kind != "compile" && kind != "load") || configuration == event.end() ||
      !configuration->is_object() || configuration->empty() || variants_.size() >= most_noted)
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

Json VariantCode::json_of(const std::vector<Variant> &chosen) const {
  SourceFiles files(program_);
  Json generic = Json::object(), variants = Json::array();
  for (const Variant &each : chosen) {
    const std::string handler = core::readable_name(each.handler);
    Json variant{{"text", each.text}, {"name", each.handler}, {"handler", handler}};
    auto made = explained(all_, each.handler, each.configuration);
    if (!made) {
      variant["error"] = made.error().text();
      variants.push_back(std::move(variant));
      continue;
    }
    Json &code = made->at("code");
    if (!generic.contains(each.handler)) { // overloaded handlers have the same readable name
      add_files(code.at("generic"), files);
      generic[each.handler] = std::move(code.at("generic"));
    }
    add_files(code.at("variant"), files);
    variant["code"] = std::move(code.at("variant"));
    add_files_of_remarks(made->at("not_done"), files);
    for (const char *part : {"points", "not_done", "refused"})
      if (made->contains(part))
        variant[part] = std::move(made->at(part));
    variants.push_back(std::move(variant));
  }
  Json sites = sites_in(all_, files);
  return {{"generic", std::move(generic)},
          {"variants", std::move(variants)},
          {"sites", std::move(sites)},
          {"sources", files.json()}};
}

Json VariantCode::json() const {
  Json json{{"limit", limit}, {"left_out", variants_.size() - std::min(variants_.size(), limit)}};
  json.update(json_of(ordered()));
  return json;
}

Json VariantCode::json(std::string_view text) const {
  std::vector<Variant> chosen;
  for (const Variant &each : variants_)
    if (each.text == text && chosen.size() < limit)
      chosen.push_back(each);
  return json_of(chosen);
}

} // namespace sartor::view
