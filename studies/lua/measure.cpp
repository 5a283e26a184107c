// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <utility>

#include "lines.h"
#include "measured_program.h"

namespace lua {

namespace {

namespace fs = std::filesystem;
using studies::MeasuredProgram;

// Compilation happens in the first runs; a loop that was missed gets an entry in later ones.
constexpr const char *kRunsBefore = "30";

MeasuredProgram interpreter(const std::string &kind, const std::string &how,
                            const fs::path &program, const std::string &verify = "on") {
  return MeasuredProgram({"/usr/bin/env", "LUA_SARTOR=" + how, "SARTOR_VERIFY=" + verify,
                          std::string(STUDY_LUA_BUILT) + "/" + kind + "/lua",
                          std::string(STUDY_LUA_SOURCE) + "/harness.lua", program, kRunsBefore});
}

Program measure(const fs::path &program, std::size_t rounds) {
  Program made;
  made.name = program.stem();
  const auto start = [&]() -> std::array<MeasuredProgram, 6> {
    return {interpreter("gcc", "", program),
            interpreter("clang", "", program),
            interpreter("sartor", "wait", program),
            interpreter("sartor", "wait", program, "off"),
            interpreter("sartor", "wait", program, "off"),
            interpreter("sartor", "off", program)};
  };
  const std::array<Samples *, 6> samples = {&made.gcc,        &made.clang, &made.sartor,
                                            &made.unverified, &made.again, &made.idle};
  studies::compare_processes(made.name, start, samples, rounds);
  return made;
}

} // namespace

const Samples &Program::stock() const {
  return sartor::bench::median(gcc).value < sartor::bench::median(clang).value ? gcc : clang;
}

std::vector<Program> measure(std::size_t rounds) {
  std::vector<fs::path> files;
  for (const auto &entry : fs::directory_iterator(fs::path(STUDY_LUA_SOURCE) / "programs"))
    files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<Program> programs;
  for (const fs::path &file : files)
    programs.push_back(measure(file, rounds));
  return programs;
}

std::size_t lines_changed() {
  return sartor::bench::lines_changed(fs::path(STUDY_LUA_SOURCE) / "lua.patch");
}

std::size_t lines_beside() { return sartor::bench::lines_of(STUDY_LUA_SOURCE, "lsartor"); }

} // namespace lua
