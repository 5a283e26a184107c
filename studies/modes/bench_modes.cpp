// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures program-wide modes (studies/modes): calls of musl's fputc() and malloc() while
/// there is one thread, and grep's search for a word in its own source in a single-byte locale,
/// over the same code without the check at compile time.

#include <clocale>
#include <stdexcept>
#include <string>
#include <utility>

#include "harness.h"
#include "quasi_invariants.h"
#include "work.h"

namespace sartor::bench {

const char *const bench_name = "modes";

namespace {

using namespace modes;

constexpr std::size_t kCalls = 10'000;
constexpr std::size_t kRounds = 301;

struct Files {
  void *dynamic = Dynamic::open();
  void *folded = modes::Folded::open();
  void *fixed = Fixed::open();
};

/// A search for a word in a text.
struct Search {
  Search(const char *word, std::string in)
      : text(std::move(in)), dynamic(Dynamic::pattern(word, /*as_word=*/true)),
        folded(modes::Folded::pattern(word, /*as_word=*/true)),
        fixed(Fixed::pattern(word, /*as_word=*/true)) {}

  void check() const {
    const auto found = search_all<Fixed>(fixed, text);
    if (found != search_all<modes::Folded>(folded, text) ||
        found != search_all<Dynamic>(dynamic, text))
      throw std::runtime_error("a search finds something else");
  }

  std::string text;
  void *dynamic;
  void *folded;
  void *fixed;
};

/// Adds the figures of the folded and of the dynamic code over the fixed one.
void add(const std::string &name, const std::vector<Samples> &samples, std::size_t first,
         std::vector<Figure> &figures, Goal goal = at_most(1.05)) {
  figures.push_back(
      {name + "_over_static", "ratio", ratio(samples[first + 1], samples[first]), goal, 1.0});
  figures.push_back(
      {name + "_checked_over_static", "ratio", ratio(samples[first + 2], samples[first])});
}

} // namespace

std::vector<Figure> measure() {
  setlocale(LC_ALL, "C");
  Dynamic::locale_changes();
  modes::Folded::locale_changes();
  Fixed::locale_changes();
  const Files files;
  QuasiInvariants quasi_invariants(files.folded);
  const Search source(kWordOfSource, read_source());
  const Search dense(kWord, make_text(kCalls));
  quasi_invariants.settle();
  source.check();
  dense.check();
  if (allocate_all<modes::Folded>(kCalls) != allocate_all<Fixed>(kCalls))
    throw std::runtime_error("memory of malloc() is not kept");

  const auto samples = interleave(
      {{"fputc, static", [&] { put_all<Fixed>(files.fixed, kCalls); }},
       {"fputc, folded", [&] { put_all<modes::Folded>(files.folded, kCalls); }},
       {"fputc, dynamic", [&] { put_all<Dynamic>(files.dynamic, kCalls); }},
       {"malloc, static", [&] { allocate_all<Fixed>(kCalls); }},
       {"malloc, folded", [&] { allocate_all<modes::Folded>(kCalls); }},
       {"malloc, dynamic", [&] { allocate_all<Dynamic>(kCalls); }},
       {"grep, static", [&] { search_all<Fixed>(source.fixed, source.text); }},
       {"grep, folded", [&] { search_all<modes::Folded>(source.folded, source.text); }},
       {"grep, dynamic", [&] { search_all<Dynamic>(source.dynamic, source.text); }},
       {"grep, dense, static", [&] { search_all<Fixed>(dense.fixed, dense.text); }},
       {"grep, dense, folded", [&] { search_all<modes::Folded>(dense.folded, dense.text); }},
       {"grep, dense, dynamic", [&] { search_all<Dynamic>(dense.dynamic, dense.text); }}},
      kRounds);
  std::vector<Figure> figures;
  add("fputc", samples, 0, figures);
  add("malloc", samples, 3, figures);
  add("grep", samples, 6, figures);
  add("grep_dense", samples, 9, figures, {}); // every line has the word
  figures.push_back(
      {"fputc_static_cycles", "cycles", difference(samples[0], Samples(kRounds, 0), kCalls)});
  figures.push_back(
      {"malloc_static_cycles", "cycles", difference(samples[3], Samples(kRounds, 0), kCalls)});
  return figures;
}

} // namespace sartor::bench
