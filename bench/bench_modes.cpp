// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Program-wide modes (studies/modes): calls of musl's fputc() and malloc() while there is one
/// thread, and of grep's search in a locale of single bytes, over the same code with the check left
/// out when it was compiled.

#include <clocale>
#include <stdexcept>
#include <string>

#include "facts.h"
#include "harness.h"
#include "work.h"

namespace sartor::bench {

const char *const bench_name = "modes";

namespace {

using namespace modes;

constexpr std::size_t kCalls = 10'000;
constexpr std::size_t kRounds = 301;

struct Files {
  void *dynamic = Dynamic::open();
  void *folded = Folded::open();
  void *fixed = Fixed::open();
};

struct Patterns {
  void *dynamic = Dynamic::pattern(kWord, /*as_word=*/true);
  void *folded = Folded::pattern(kWord, /*as_word=*/true);
  void *fixed = Fixed::pattern(kWord, /*as_word=*/true);
};

void check(const Patterns &patterns, const std::string &text) {
  const auto found = search_all<Fixed>(patterns.fixed, text);
  if (found != search_all<Folded>(patterns.folded, text) ||
      found != search_all<Dynamic>(patterns.dynamic, text) ||
      allocate_all<Folded>(kCalls) != allocate_all<Fixed>(kCalls))
    throw std::runtime_error("the result of a variant is wrong");
}

/// Of the folded and of the dynamic code, over the fixed one.
void add(const std::string &name, const std::vector<Samples> &samples, std::size_t first,
         std::vector<Figure> &figures) {
  figures.push_back({name + "_over_static", "ratio", ratio(samples[first + 1], samples[first]),
                     at_most(1.05), 1.0});
  figures.push_back(
      {name + "_checked_over_static", "ratio", ratio(samples[first + 2], samples[first])});
}

} // namespace

std::vector<Figure> measure() {
  setlocale(LC_ALL, "C");
  Dynamic::locale_changes();
  Folded::locale_changes();
  Fixed::locale_changes();
  const Files files;
  Facts facts(files.folded);
  const Patterns patterns;
  const std::string text = make_text(kCalls);
  facts.settle();
  check(patterns, text);

  const auto samples =
      interleave({{"fputc, static", [&] { put_all<Fixed>(files.fixed, kCalls); }},
                  {"fputc, folded", [&] { put_all<Folded>(files.folded, kCalls); }},
                  {"fputc, dynamic", [&] { put_all<Dynamic>(files.dynamic, kCalls); }},
                  {"malloc, static", [&] { allocate_all<Fixed>(kCalls); }},
                  {"malloc, folded", [&] { allocate_all<Folded>(kCalls); }},
                  {"malloc, dynamic", [&] { allocate_all<Dynamic>(kCalls); }},
                  {"grep, static", [&] { search_all<Fixed>(patterns.fixed, text); }},
                  {"grep, folded", [&] { search_all<Folded>(patterns.folded, text); }},
                  {"grep, dynamic", [&] { search_all<Dynamic>(patterns.dynamic, text); }}},
                 kRounds);
  std::vector<Figure> figures;
  add("fputc", samples, 0, figures);
  add("malloc", samples, 3, figures);
  add("grep", samples, 6, figures);
  figures.push_back(
      {"fputc_static_cycles", "cycles", difference(samples[0], Samples(kRounds, 0), kCalls)});
  figures.push_back(
      {"malloc_static_cycles", "cycles", difference(samples[3], Samples(kRounds, 0), kCalls)});
  return figures;
}

} // namespace sartor::bench
