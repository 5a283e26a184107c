// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure.h"

#include <array>
#include <filesystem>

#include "lines.h"
#include "measured_program.h"

namespace regex {

namespace {

namespace fs = std::filesystem;
using studies::MeasuredProgram;

MeasuredProgram matcher(const std::string &kind, const std::string &way, const std::string &how,
                        const std::string &pattern) {
  return MeasuredProgram({"/usr/bin/env", "PCRE2_SARTOR=" + how,
                          std::string(STUDY_REGEX_BUILT) + "/" + kind + "/regex", pattern, way,
                          "20"});
}

std::vector<std::string> names() {
  const sartor::bench::Process lists({std::string(STUDY_REGEX_BUILT) + "/gcc/regex"});
  std::vector<std::string> found;
  for (std::string name = lists.line(); !name.empty(); name = lists.line())
    found.push_back(name.substr(0, name.find('\n')));
  return found;
}

Pattern measure(const std::string &name, std::size_t rounds) {
  Pattern made;
  made.name = name;
  const std::array<MeasuredProgram, 5> matchers = {
      matcher("gcc", "interpreter", "", name), matcher("clang", "interpreter", "", name),
      matcher("gcc", "jit", "", name), matcher("sartor", "interpreter", "heat=1,wait,report", name),
      matcher("sartor", "interpreter", "off", name)};
  const std::array<Samples *, 5> samples = {&made.gcc, &made.clang, &made.jit, &made.sartor,
                                            &made.idle};
  studies::compare(name, matchers, samples, rounds);
  return made;
}

} // namespace

const Samples &Pattern::interpreter() const {
  return sartor::bench::median(gcc).value < sartor::bench::median(clang).value ? gcc : clang;
}

std::vector<Pattern> measure(std::size_t rounds) {
  std::vector<Pattern> patterns;
  for (const std::string &name : names())
    patterns.push_back(measure(name, rounds));
  return patterns;
}

std::size_t lines_changed() {
  return sartor::bench::lines_changed(fs::path(STUDY_REGEX_SOURCE) / "pcre2.patch");
}

std::size_t lines_beside() { return sartor::bench::lines_of(STUDY_REGEX_SOURCE, "psartor"); }

} // namespace regex
