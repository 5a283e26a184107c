// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "cases.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <ranges>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "paths.h"
#include "process.h"

namespace automatic {

namespace {

namespace fs = std::filesystem;

fs::path program_of(const Case &of, const std::string &kind) {
  return fs::path(paths::auto_built()) / kind / of.program / of.program;
}

bool is_wanted(const Case &of) {
  const char *only = std::getenv("STUDY_AUTO_ONLY");
  if (!only || !*only)
    return true;
  return std::ranges::any_of(std::views::split(std::string_view(only), ','), [&](auto part) {
    return of.name.starts_with(std::string_view(part.begin(), part.end()));
  });
}

} // namespace

std::vector<Case> cases() {
  std::vector<Case> found;
  std::ifstream file(paths::auto_cases());
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#'))
      continue;
    Case made;
    std::istringstream words(line);
    words >> made.name >> made.program;
    for (std::string word; words >> word;)
      made.words.push_back(word == "TEXT" ? paths::auto_built() + "/text" : word);
    if (is_wanted(made) && fs::exists(program_of(made, "auto")))
      found.push_back(std::move(made));
  }
  if (found.empty())
    throw std::runtime_error("there is no such case: see cases.txt");
  return found;
}

Run run(const Case &of, const std::string &kind, double seconds) {
  std::vector<std::string> words = {program_of(of, kind), std::to_string(seconds)};
  words.insert(words.end(), of.words.begin(), of.words.end());
  sartor::bench::Process process(std::move(words));
  std::istringstream line(process.line());
  Run made;
  double kibibytes = 0;
  line >> made.rate >> made.elapsed >> made.units >> made.hash >> made.value >> made.seconds >>
      kibibytes;
  if (!line || !process.wait())
    throw std::runtime_error(of.name + ": the program built as " + kind + " has failed");
  made.mebibytes = kibibytes / 1024;
  return made;
}

} // namespace automatic
