// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/guards.h"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/text/json.h"
#include "core/space/guard_section.h"
#include "tools/cli/layout.h"
#include "tools/cli/section.h"
#include "tools/cli/usage.h"

namespace sartor::cli {

namespace {

using Json = nlohmann::ordered_json;

constexpr UnloadedSection kGuards{core::kGuardSection, core::kGuardMagic, "its list of guards"};

std::vector<GuardReport::Place> places_of(const Json &rows, const char *what) {
  std::vector<GuardReport::Place> places;
  for (const Json &row : rows)
    places.push_back({row.at("file"), row.at("line"), row.at("field"), row.at(what)});
  return places;
}

void add_piece(const Json &piece, GuardReport &report) {
  for (const Json &row : piece.at("watched"))
    if (const GuardReport::Field field{row.at("field"), row.at("record_size"), row.at("offset"),
                                       row.at("size")};
        std::ranges::find(report.fields, field) == report.fields.end())
      report.fields.push_back(field);
  std::ranges::move(places_of(piece.at("guarded"), "kind"), std::back_inserter(report.guarded));
  std::ranges::move(places_of(piece.at("unproven"), "reason"), std::back_inserter(report.unproven));
}

// Inline functions are compiled in each file that contains them, and reported once.
void keep_one_of_each(std::vector<GuardReport::Place> &places) {
  std::ranges::sort(places);
  const auto again = std::ranges::unique(places);
  places.erase(again.begin(), again.end());
}

/// Returns the remedy for stores that the compiler cannot guard.
std::string remedy_for(const GuardReport::Place &place) {
  const std::string_view why = place.what;
  if (why.starts_with("passed to"))
    return "have it write to a local variable and assign that, or revoke its quasi-invariants "
           "before";
  if (why == "constructed in place")
    return "revoke quasi-invariants of the old object before";
  if (why.contains("inline assembly"))
    return "let the assembly write to a local variable, and assign that";
  if (why == "in another address space")
    return "revoke its quasi-invariants before the store";
  if (why == "offsetof" || why == "pointer to member")
    return "make sure that nothing is written through it";
  return "assign the field through its struct, or make sure that nothing is written by the address";
}

std::string place_text(const GuardReport::Place &place) {
  return place.line == 0 ? place.file : place.file + ":" + std::to_string(place.line);
}

Json json_of(const std::vector<GuardReport::Place> &places, const char *what) {
  Json rows = Json::array();
  for (const GuardReport::Place &place : places) {
    rows.push_back(
        {{"file", place.file}, {"line", place.line}, {"field", place.field}, {what, place.what}});
    if (std::string_view(what) == "reason")
      rows.back()["remedy"] = remedy_for(place);
  }
  return rows;
}

} // namespace

Result<GuardReport> GuardReport::read(const std::string &path) {
  const auto pieces = pieces_of(path, kGuards);
  if (!pieces)
    return std::unexpected(pieces.error());
  GuardReport report;
  for (const std::string &piece : *pieces) {
    try {
      add_piece(Json::parse(piece), report);
    } catch (const Json::exception &) {
      return std::unexpected(damaged(path, kGuards));
    }
  }
  keep_one_of_each(report.guarded);
  keep_one_of_each(report.unproven);
  return report;
}

std::string GuardReport::text() const {
  if (fields.empty())
    return "no watched fields\n";
  std::vector<std::vector<std::string>> rows{{"FIELD", "OFFSET", "SIZE", "GUARDED", "NOT PROVEN"}};
  const auto count = [](const std::vector<Place> &places, const Field &field) {
    return std::to_string(std::ranges::count(places, field.name, &Place::field));
  };
  for (const Field &field : fields)
    rows.push_back({field.name, std::to_string(field.offset), std::to_string(field.size),
                    count(guarded, field), count(unproven, field)});
  std::string text = table(rows);
  if (!guarded.empty()) {
    rows = {{"GUARDED", "FIELD", "BY"}};
    for (const Place &place : guarded)
      rows.push_back({place_text(place), place.field, place.what});
    text += "\n" + table(rows);
  }
  if (unproven.empty())
    return text + "\nall stores are proven, in the files that were compiled with write guards\n";
  rows = {{"NOT PROVEN", "FIELD", "WHY", "WHAT TO DO"}};
  for (const Place &place : unproven)
    rows.push_back({place_text(place), place.field, place.what, remedy_for(place)});
  return text + "\n" + table(rows);
}

std::string GuardReport::json() const {
  Json watched = Json::array();
  for (const Field &field : fields)
    watched.push_back({{"field", field.name},
                       {"record_size", field.record_size},
                       {"offset", field.offset},
                       {"size", field.size}});
  return dump({{"watched", std::move(watched)},
               {"guarded", json_of(guarded, "kind")},
               {"unproven", json_of(unproven, "reason")}});
}

GuardsCommand::GuardsCommand(CLI::App &app) {
  CLI::App *command =
      app.add_subcommand("guards", "List the watched fields of a program, and their stores.");
  command->add_option("PROGRAM", program_, "A program, library or object file")->required();
  command->add_flag("--json", json_, "Write JSON");
  add_example(*command, "sartor guards ./program");
}

Result<void> GuardsCommand::run() const {
  const auto report = GuardReport::read(program_);
  if (!report)
    return std::unexpected(report.error());
  std::cout << (json_ ? report->json() + "\n" : report->text());
  return {};
}

} // namespace sartor::cli
