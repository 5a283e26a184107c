// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file The study's tables: the cost of a call with each build, and its course while a second
/// thread starts and ends. Written into the given folder. See README.md.

#include <clocale>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iomanip>
#include <iostream>
#include <optional>
#include <stdexcept>

#include "harness.h"
#include "quasi_invariants.h"
#include "second_thread.h"
#include "work.h"

namespace modes {

namespace {

using sartor::bench::Samples;

constexpr std::size_t kCalls = 10'000;
constexpr std::size_t kRounds = 101;
constexpr int kSamples = 400; // of a millisecond each, for each build
constexpr int kBegins = 100;
constexpr int kEnds = 200;

struct Row {
  std::string call;
  std::function<void()> dynamic;
  std::function<void()> folded;
  std::function<void()> fixed;
  std::size_t calls = kCalls;
};

/// The number of calls that a search of a text takes.
std::size_t calls_of(void *pattern, const std::string &text) {
  std::size_t calls = 1;
  const char *const end = text.data() + text.size();
  long match = 0;
  for (const char *at = text.data() + 1; at < end; ++calls) {
    const long offset = Fixed::search(pattern, at, end - at, &match);
    if (offset < 0)
      break;
    at += offset + match;
  }
  return calls;
}

Row search_row(const std::string &call, const char *word, const std::string &text) {
  void *dynamic = Dynamic::pattern(word, /*as_word=*/true);
  void *folded = Folded::pattern(word, /*as_word=*/true);
  void *fixed = Fixed::pattern(word, /*as_word=*/true);
  return {call, [=, &text] { search_all<Dynamic>(dynamic, text); },
          [=, &text] { search_all<Folded>(folded, text); },
          [=, &text] { search_all<Fixed>(fixed, text); }, calls_of(fixed, text)};
}

void write_row(const Row &row, std::ostream &out) {
  const auto samples = sartor::bench::interleave(
      {{"dynamic", row.dynamic}, {"folded", row.folded}, {"fixed", row.fixed}}, kRounds);
  const Samples none(kRounds, 0);
  out << "| " << row.call << std::fixed << std::setprecision(1);
  for (const Samples &each : samples)
    out << " | " << sartor::bench::difference(each, none, static_cast<double>(row.calls)).value;
  out << std::setprecision(2) << " | " << sartor::bench::ratio(samples[0], samples[2]).value
      << " | " << sartor::bench::ratio(samples[1], samples[2]).value << " |\n";
}

void write_table(QuasiInvariants &quasi_invariants, void *folded_file, std::ostream &out) {
  void *dynamic_file = Dynamic::open();
  void *fixed_file = Fixed::open();
  const std::string source = read_source();
  const std::string dense = make_text(kCalls);
  quasi_invariants.settle();
  out << "Ticks of the time-stamp counter for each call: with the check, with Sartor, with the "
         "check "
         "left out when it was compiled.\n\n"
         "| call | checked | Sartor | static | checked ÷ static | Sartor ÷ static |\n"
         "|---|---|---|---|---|---|\n";
  const Row rows[] = {
      {"musl: `fputc()`", [&] { put_all<Dynamic>(dynamic_file, kCalls); },
       [&] { put_all<Folded>(folded_file, kCalls); }, [&] { put_all<Fixed>(fixed_file, kCalls); }},
      {"musl: `malloc()` and `free()`", [] { allocate_all<Dynamic>(kCalls); },
       [] { allocate_all<Folded>(kCalls); }, [] { allocate_all<Fixed>(kCalls); }},
      search_row("grep: to the next line of its source with a word", kWordOfSource, source),
      search_row("grep: every line has the word", kWord, dense)};
  for (const Row &row : rows)
    write_row(row, out);
}

/// Writes ticks for each allocation, and the quasi-invariant's state, over time; the second thread
/// exists from one sample to another.
void write_timeline(const QuasiInvariants &quasi_invariants, std::ostream &out) {
  std::optional<SecondThread> second;
  const auto &quasi_invariant = quasi_invariants.quasi_invariant("malloc locks");
  out << "milliseconds checked Sartor holds\n";
  for (int slice = 0; slice < kSamples; ++slice) {
    if (slice == kBegins)
      second.emplace();
    if (slice == kEnds)
      second.reset();
    const double dynamic = allocate_for_a_millisecond<Dynamic>();
    const double folded = allocate_for_a_millisecond<Folded>();
    out << 2 * slice << ' ' << dynamic << ' ' << folded << ' ' << quasi_invariant.valid() << '\n';
  }
}

void run(const std::filesystem::path &folder) {
  std::filesystem::create_directories(folder);
  setlocale(LC_ALL, "C");
  Dynamic::locale_changes();
  Folded::locale_changes();
  Fixed::locale_changes();
  void *file = Folded::open();
  QuasiInvariants quasi_invariants(file);

  std::ofstream tables(folder / "tables.md");
  write_table(quasi_invariants, file, tables);
  std::ofstream timeline(folder / "timeline.dat");
  write_timeline(quasi_invariants, timeline);
  const auto figures = quasi_invariants.quasi_invariant("malloc locks").figures();
  tables << "\nA second thread, from " << 2 * kBegins << " to " << 2 * kEnds
         << " ms: every allocation gave what it had to; the fact broke " << figures.invalidated
         << " times, " << figures.longest_invalidation_nanoseconds / 1000
         << " µs at most until the writer went on, and held " << figures.held << " times.\n";
  if (!tables || !timeline)
    throw std::runtime_error("cannot write into " + folder.string());
}

} // namespace

} // namespace modes

int main(int argc, char **argv) try {
  if (argc != 2) {
    std::cerr << "usage: modes_study FOLDER\n";
    return 2;
  }
  modes::run(argv[1]);
  return EXIT_SUCCESS;
} catch (const std::exception &error) {
  std::cerr << "modes_study: " << error.what() << '\n';
  return EXIT_FAILURE;
}
