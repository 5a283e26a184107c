// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_REMOTE_CLOSES_DESCRIPTORS_H
#define SARTOR_TEST_REMOTE_CLOSES_DESCRIPTORS_H

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <string>
#include <thread>

#include <sartor/sartor.hpp>

#include "../engine/check.h"
#include "../files_of_the_program.h"
#include "handlers.h"

inline std::size_t count_of(const std::string &what, const std::string &text) {
  std::size_t count = 0;
  for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++count;
  return count;
}

/// Runs a program that uses everything for which Sartor keeps descriptors, closes all descriptors
/// several times, and continues.
inline void closes_descriptors(sartor::Options options, sartor::PerfNames perf) {
  std::string name = std::filesystem::temp_directory_path() / "sartor-closes-XXXXXX";
  const std::filesystem::path folder = mkdtemp(name.data());
  setenv("JITDUMPDIR", folder.c_str(), 1);
  const std::string process = std::to_string(getpid());
  std::filesystem::path names = "/tmp/perf-" + process + ".map";
  if (perf == sartor::PerfNames::dump)
    names = folder / ".debug/jit" / ("jit-" + process + ".dump");
  options.event_log = folder / "events";
  options.cache_directory = folder / "cache";
  options.perf = perf;
  constexpr long kRounds = 5;
  std::size_t named = 0;
  {
    sartor::Runtime runtime(options);
    const auto call = runtime.handler<&sum_of_steps>();
    runtime.specialize({{"n", 9}, {"step", 1}});
    for (int round = 0; round < kRounds; ++round) {
      const FilesOfTheProgram own(STDERR_FILENO + 1, round);
      for (const long step : {1L, 2L}) {
        const long n = 10 + round;
        const auto before = runtime.statistics();
        runtime.specialize({{"n", n}, {"step", step}});
        CHECK(runtime.statistics().compiles > before.compiles);
        CHECK(call(n, step) == sum_of_steps(n, step));
      }
      const auto size = static_cast<std::size_t>(std::filesystem::file_size(names));
      CHECK(size > named);
      named = size;
      CHECK(own.are_untouched());
    }
  }
  const std::string events = content_of(folder / "events");
  CHECK(count_of(R"("event":"descriptor_lost","code":"file_error","subject":")" +
                     (folder / "events").string(),
                 events) >= kRounds);
  CHECK(count_of(R"("event":"descriptor_lost","code":"file_error","subject":")" + names.string(),
                 events) >= kRounds);
  CHECK(count_of(R"("event":"descriptor_lost","code":"compiler_lost")", events) >= kRounds);
  CHECK(events.rfind(R"("event":"switch")") > events.rfind(R"("event":"descriptor_lost")"));
  const auto kept =
      std::ranges::count_if(std::filesystem::directory_iterator(folder / "cache"),
                            [](const auto &file) { return file.path().extension() == ".sartor"; });
  CHECK(kept >= 2 * kRounds);
  std::filesystem::remove(names);
  std::filesystem::remove_all(folder);
}

#endif
