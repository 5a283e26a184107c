// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure.h"

#include <array>
#include <filesystem>
#include <stdexcept>

#include "lines.h"
#include "process.h"
#include "take_turns.h"

namespace regex {

namespace {

namespace fs = std::filesystem;
using sartor::bench::Process;

class Matcher {
public:
  Matcher(const std::string &kind, const std::string &way, const std::string &how,
          const std::string &pattern)
      : process_({"/usr/bin/env", "PCRE2_SARTOR=" + how,
                  std::string(STUDY_REGEX_BUILT) + "/" + kind + "/regex", pattern, way, "20"}),
        result_(process_.line()) {}

  [[nodiscard]] const std::string &result() const { return result_; }
  [[nodiscard]] double run() const {
    process_.go();
    const std::string seconds = process_.line();
    if (seconds.empty())
      throw std::runtime_error("a matcher has ended");
    return std::stod(seconds);
  }

private:
  Process process_;
  std::string result_;
};

std::vector<std::string> names() {
  Process lists({std::string(STUDY_REGEX_BUILT) + "/gcc/regex"});
  std::vector<std::string> found;
  for (std::string name = lists.line(); !name.empty(); name = lists.line())
    found.push_back(name.substr(0, name.find('\n')));
  return found;
}

Pattern measure(const std::string &name, std::size_t rounds) {
  Pattern made;
  made.name = name;
  const std::array<Matcher, 5> matchers = {
      Matcher("gcc", "interpreter", "", name), Matcher("clang", "interpreter", "", name),
      Matcher("gcc", "jit", "", name), Matcher("sartor", "interpreter", "heat=1,wait,tell", name),
      Matcher("sartor", "interpreter", "off", name)};
  for (const Matcher &each : matchers)
    if (each.result().empty() || each.result() != matchers[0].result())
      throw std::runtime_error(name + " finds something else");
  const std::array<Samples *, 5> samples = {&made.gcc, &made.clang, &made.jit, &made.sartor,
                                            &made.idle};
  sartor::bench::take_turns(matchers, samples, rounds);
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
