// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Has each kind of mutant detected in random handlers, and prints a table:
///
///     mutants_table HANDLERS [KIND...]
///
/// Tries handlers until HANDLERS of them are applicable to a kind: the mutant changes a result.
/// Exits with 1 if a mutant is not detected whose first calls show it, or if a result is wrong
/// after the detection.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

#include <dlfcn.h>

#include "mutants/kinds.h"
#include "mutants/random/trial.h"
#include "paths.h"

namespace {

// Mutants are shown late in one of so many handlers only, because that takes a second.
constexpr unsigned kLateShare = 5;

/// Processes for one trial.
constexpr int kMostTries = 5;

/// The figures of a kind.
struct Row {
  unsigned applicable = 0;
  unsigned died = 0; ///< Processes: a call that was not compared has crashed or hung.
  std::vector<unsigned> detected_at;
  unsigned wrong_before = 0;
  unsigned wrong_after = 0;

  void add(const Compared &compared) {
    ++applicable;
    died += compared.has_ended ? 0 : 1;
    if (compared.detected_at != 0)
      detected_at.push_back(compared.detected_at);
    wrong_before += compared.wrong_before;
    wrong_after += compared.wrong_after;
  }
};

void print_heads() {
  std::printf("%-18s %-8s %6s %11s %9s %7s %9s %13s %12s %5s\n", "KIND", "SHOWN", "TRIED",
              "APPLICABLE", "DETECTED", "MEDIAN", "MOST", "WRONG BEFORE", "WRONG AFTER", "DIED");
}

void print(const char *kind, const char *when, unsigned tried, Row row) {
  std::ranges::sort(row.detected_at);
  const std::size_t detected = row.detected_at.size();
  std::printf("%-18s %-8s %6u %11u %9zu %7u %9u %13u %12u %5u\n", kind, when, tried, row.applicable,
              detected, detected == 0 ? 0 : row.detected_at[detected / 2],
              detected == 0 ? 0 : row.detected_at.back(), row.wrong_before, row.wrong_after,
              row.died);
  std::fflush(stdout);
}

/// Adds a trial to `row`. If the first calls show the mutant, a process that has died, since a busy
/// machine does not compare each of them, is counted, and tried again.
void add_trial(Row &row, const char *kind, const Place &place, const RandomHandler &handler,
               Begin begin) {
  Compared compared = compare(kind, place, handler, begin);
  const int most = begin == Begin::at_once ? kMostTries : 1;
  for (int tries = 1; tries < most && !compared.has_ended && compared.detected_at == 0; ++tries) {
    ++row.died;
    row.wrong_before += compared.wrong_before;
    compared = compare(kind, place, handler, begin);
  }
  row.add(compared);
  if (compared.detected_at == 0 || compared.wrong_after != 0)
    std::fprintf(stderr,
                 "%s:%u in %s%s: %s after %u calls, %u compared without a difference, %u wrong "
                 "results and %u after the detection, %s\n",
                 kind, place.number, handler.name, begin == Begin::at_once ? "" : ", late",
                 compared.detected_at == 0 ? "not detected" : "detected", compared.calls,
                 compared.missed, compared.wrong_before, compared.wrong_after,
                 compared.has_ended ? "ended" : "died");
}

/// Returns false if a mutant was not detected, or a result wrong after that.
bool try_kind(const char *kind, unsigned most) {
  Row at_once;
  Row late;
  Row late_large_budget;
  unsigned tried = 0;
  for (const RandomHandler *handler = random_handlers; handler->name && at_once.applicable < most;
       ++handler, ++tried) {
    const Place place = find_place(kind, *handler);
    if (place.showing == 0)
      continue;
    add_trial(at_once, kind, place, *handler, Begin::at_once);
    if (place.others != 0 && late.applicable < (most + kLateShare - 1) / kLateShare) {
      add_trial(late, kind, place, *handler, Begin::late);
      add_trial(late_large_budget, kind, place, *handler, Begin::late_large_budget);
    }
  }
  print(kind, "at once", tried, at_once);
  print(kind, "late", tried, late);
  print(kind, "late, 1%", tried, late_large_budget);
  return at_once.applicable == at_once.detected_at.size() && at_once.wrong_after == 0 &&
         late.wrong_after == 0 && late_large_budget.wrong_after == 0;
}

} // namespace

int main(int argc, char **argv) {
  const std::span arguments(argv, static_cast<std::size_t>(argc));
  const auto handlers =
      static_cast<unsigned>(argc < 2 ? 0 : std::strtoul(arguments[1], nullptr, 10));
  if (handlers == 0) {
    std::fputs("usage: mutants_table HANDLERS [KIND...]\n", stderr);
    return 2;
  }
  setenv("SARTOR_COMPILER_LIBRARY", paths::mutants_library().c_str(), /*overwrite=*/0);
  unsetenv("SARTOR_VERIFY");
  unsetenv("SARTOR_STATE_DIR"); // each trial has its own
  unsetenv("SARTOR_ABORT_ON_DIFFERENCE");
  // Child processes need not load it.
  if (!dlopen(std::getenv("SARTOR_COMPILER_LIBRARY"), RTLD_NOW)) {
    std::fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  bool is_right = true;
  print_heads();
  for (const char *kind : kMutants)
    if (argc == 2 || std::ranges::find(arguments.subspan(2), std::string(kind)) != arguments.end())
      is_right &= try_kind(kind, handlers);
  return is_right ? 0 : 1;
}
