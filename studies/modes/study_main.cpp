// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The study's tables: what a call costs with each build, and what becomes of it while a second
/// thread comes and goes. Written into the folder that is given. See README.md.

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

#include "facts.h"
#include "harness.h"
#include "second_thread.h"
#include "work.h"

namespace modes {

namespace {

using sartor::bench::Samples;

constexpr std::size_t kCalls = 10'000;
constexpr std::size_t kRounds = 101;
constexpr int kSlices = 400; // of a millisecond, for each build
constexpr int kBegins = 100;
constexpr int kEnds = 200;

struct Row {
  std::string call;
  std::function<void()> dynamic;
  std::function<void()> folded;
  std::function<void()> fixed;
  std::size_t calls = kCalls;
};

/// The calls that a search of a text takes.
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

void write_table(Facts &facts, void *folded_file, std::ostream &out) {
  void *dynamic_file = Dynamic::open();
  void *fixed_file = Fixed::open();
  const std::string source = read_source();
  const std::string dense = make_text(kCalls);
  facts.settle();
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

/// Ticks for each allocation, and the fact, over slices of time; the second thread is there from
/// one slice to another.
void write_timeline(const Facts &facts, std::ostream &out) {
  std::optional<SecondThread> second;
  const auto &fact = facts.fact("malloc locks");
  out << "milliseconds checked Sartor holds\n";
  for (int slice = 0; slice < kSlices; ++slice) {
    if (slice == kBegins)
      second.emplace();
    if (slice == kEnds)
      second.reset();
    const double dynamic = allocate_for_a_millisecond<Dynamic>();
    const double folded = allocate_for_a_millisecond<Folded>();
    out << 2 * slice << ' ' << dynamic << ' ' << folded << ' ' << fact.holds() << '\n';
  }
}

void run(const std::filesystem::path &folder) {
  std::filesystem::create_directories(folder);
  setlocale(LC_ALL, "C");
  Dynamic::locale_changes();
  Folded::locale_changes();
  Fixed::locale_changes();
  void *file = Folded::open();
  Facts facts(file);

  std::ofstream tables(folder / "tables.md");
  write_table(facts, file, tables);
  std::ofstream timeline(folder / "timeline.dat");
  write_timeline(facts, timeline);
  const auto figures = facts.fact("malloc locks").figures();
  tables << "\nA second thread, from " << 2 * kBegins << " to " << 2 * kEnds
         << " ms: every allocation gave what it had to; the fact broke " << figures.broken
         << " times, " << figures.longest_break_nanoseconds / 1000
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
