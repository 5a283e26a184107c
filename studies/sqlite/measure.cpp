// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

#include "lines.h"
#include "measured_program.h"
#include "process.h"

namespace sqlite {

namespace {

namespace fs = std::filesystem;
using studies::MeasuredProgram;

// The statement is hot after the first run at the latest; the library's internal statements are
// not.
constexpr const char *kHot = "heat=20000,wait";
constexpr const char *kRunsBefore = "3";

/// A temporary folder for a measurement.
class Folder {
public:
  Folder() {
    std::string name = fs::temp_directory_path() / "sqlite_measure_XXXXXX";
    if (!mkdtemp(name.data()))
      throw std::runtime_error("no folder can be made: " + name);
    path_ = name;
  }
  Folder(const Folder &) = delete;
  Folder &operator=(const Folder &) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path &path() const { return path_; }

private:
  fs::path path_;
};

MeasuredProgram program(const std::string &kind, const std::string &how, const fs::path &log,
                        const fs::path &database, const fs::path &query,
                        const std::string &verify = "on") {
  return MeasuredProgram({"/usr/bin/env", "SQLITE_SARTOR=" + how,
                          "SARTOR_EVENT_LOG=" + log.string(), "SARTOR_VERIFY=" + verify,
                          STUDY_SQLITE_RUN + kind, database, query, kRunsBefore});
}

void make_database(const fs::path &database, std::size_t orders) {
  const sartor::bench::Process maker(
      {STUDY_SQLITE_RUN + std::string("gcc"), "make", database, std::to_string(orders)});
  if (!maker.line().empty() || !fs::exists(database))
    throw std::runtime_error("there is no database");
}

void read_compile(Query &query, const fs::path &log) {
  std::ifstream in(log);
  for (std::string line; std::getline(in, line);) {
    const auto event = nlohmann::json::parse(line);
    if (event.value("event", "") != "compile" || event.value("handler", "") != "sqlite3SsartorRun")
      continue;
    query.compile_milliseconds = event.value("milliseconds", 0.0);
    query.code_bytes = event.value("code_bytes", 0.0);
  }
  if (query.compile_milliseconds == 0 && query.is_scan())
    throw std::runtime_error(query.name + " has no variant");
}

Query measure(const fs::path &file, const fs::path &database, const fs::path &log,
              std::size_t rounds) {
  Query made;
  made.name = file.stem();
  const auto start = [&]() -> std::array<MeasuredProgram, 6> {
    fs::remove(log);
    return {program("gcc", "", "", database, file),
            program("clang", "", "", database, file),
            program("sartor", kHot, log, database, file),
            program("sartor", kHot, "", database, file, "off"),
            program("sartor", kHot, "", database, file, "off"),
            program("sartor", "off", "", database, file)};
  };
  const std::array<Samples *, 6> samples = {&made.gcc,        &made.clang, &made.sartor,
                                            &made.unverified, &made.again, &made.idle};
  studies::compare_processes(made.name, start, samples, rounds);
  read_compile(made, log);
  return made;
}

} // namespace

const Samples &Query::stock() const {
  return sartor::bench::median(gcc).value < sartor::bench::median(clang).value ? gcc : clang;
}

std::vector<Query> measure(std::size_t orders, std::size_t rounds) {
  const Folder folder;
  make_database(folder.path() / "database", orders);
  std::vector<fs::path> files;
  for (const auto &entry : fs::directory_iterator(fs::path(STUDY_SQLITE_SOURCE) / "queries"))
    files.push_back(entry.path());
  std::ranges::sort(files);
  std::vector<Query> queries;
  for (const fs::path &file : files)
    queries.push_back(measure(file, folder.path() / "database", folder.path() / "events", rounds));
  return queries;
}

Whole measure_whole(std::size_t rounds) {
  Whole whole;
  const auto start = [](const char *options, Samples &open, Samples *first_variant) {
    const sartor::bench::Process program({STUDY_SQLITE_WHOLE, options});
    double opened = 0, variant = 0;
    if (!(std::istringstream(program.line()) >> opened >> variant))
      throw std::runtime_error(STUDY_SQLITE_WHOLE " does not work");
    open.push_back(opened);
    if (first_variant)
      first_variant->push_back(variant);
  };
  for (std::size_t i = 0; i < rounds; ++i) {
    start("{}", whole.open, &whole.first_variant_cpu);
    start(R"({"lazy_opening": true})", whole.lazy_open, nullptr);
  }
  return whole;
}

std::size_t lines_changed() {
  return sartor::bench::lines_changed(fs::path(STUDY_SQLITE_SOURCE) / "sqlite.patch");
}

std::size_t lines_beside() { return sartor::bench::lines_of(STUDY_SQLITE_SOURCE, "ssartor"); }

} // namespace sqlite
