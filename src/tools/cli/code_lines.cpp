// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cli/code_lines.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>
#include <utility>

namespace sartor::cli {

namespace {

using Json = nlohmann::ordered_json;

void add(Json &json, const std::string &name, std::string text,
         std::vector<std::uint32_t> origins) {
  std::size_t end = 0, lines = 0;
  for (std::size_t next = 0; lines < kMostCodeLines && end < text.size(); ++lines, end = next) {
    next = std::min(text.find('\n', end), text.size() - 1) + 1;
    if (next > kMostCodeBytes)
      break;
  }
  if (end < text.size()) {
    json[name + "_lines"] = std::ranges::count(text, '\n');
    text.resize(end);
    origins.resize(std::min(origins.size(), lines));
  }
  json[name] = std::move(text);
  json[name + "_origins"] = std::move(origins);
}

} // namespace

std::string instructions_of(const std::string &assembly, std::vector<std::uint32_t> *origins) {
  static constexpr std::array<std::string_view, 15> aside{
      "\".L",   ".Lfunc_", ".Ltmp",    ".addrsig", ".cfi_", ".file", ".globl", ".hidden",
      ".ident", ".loc",    ".p2align", ".section", ".size", ".text", ".type"};
  std::string text;
  std::size_t read = 0, kept = 0;
  std::istringstream lines(assembly);
  for (std::string line; std::getline(lines, line); ++read) {
    const auto start = line.find_first_not_of(" \t");
    const auto directive = start == std::string::npos ? "" : line.substr(start);
    if (directive.starts_with(".section") &&
        (directive.contains(".debug_") || directive.contains(".BTF")))
      break; // sections for debuggers and the kernel follow
    if (directive.empty() || std::ranges::any_of(aside, [&](std::string_view prefix) {
          return directive.starts_with(prefix);
        }))
      continue;
    text += line + "\n";
    if (origins && read < origins->size())
      (*origins)[kept++] = (*origins)[read];
  }
  if (origins)
    origins->resize(kept);
  return text;
}

Json json_of(const core::Listing &listing) {
  Json json{{"files", listing.files}, {"origins", Json::array()}};
  for (const core::Origin &origin : listing.origins) {
    if (json["origins"].size() >= kMostCodeLines)
      break; // lines with a later one have none
    Json each{{"at", Json::array()}};
    for (const core::SourceLine &line : origin.lines)
      each["at"].push_back(Json::array({line.file, line.line}));
    if (origin.is_unlikely)
      each["unlikely"] = true;
    json["origins"].push_back(std::move(each));
  }
  add(json, "ir", listing.ir, listing.ir_origins);
  std::vector<std::uint32_t> origins = listing.assembly_origins;
  std::string instructions = instructions_of(listing.assembly, &origins);
  add(json, "assembly", std::move(instructions), std::move(origins));
  return json;
}

} // namespace sartor::cli
