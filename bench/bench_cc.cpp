// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures the cost of builds by sartor-cc: `make` of Lua from scratch, with CC=clang-22 and
/// with sartor-cc, which passes files without handlers to clang-22. In one build no file has a
/// handler; in the other the interpreter's loop is declared a handler, so that every file is
/// compiled with the plugin. No compiler cache is used. Builds of a round run immediately after one
/// another, in random order.

#include <stdexcept>
#include <string>

#include "ld.h"

namespace sartor::bench {

const char *const bench_name = "cc";

namespace {

constexpr std::size_t kRounds = 5;

class Build {
public:
  Build(const Place &place, const std::string &name, const std::string &compiler)
      : directory_(place.path() / name), make_(make_of_lua(directory_, compiler)) {}

  /// Times a build from scratch.
  [[nodiscard]] double milliseconds() const {
    run(with("clean"));
    return run(with("all")).wall;
  }
  /// Throws if the built program does not work.
  void check(const Place &place) const {
    if (output_of(place, {directory_ / "lua", "-e", "print(6 * 7)"}) != "42\n")
      throw std::runtime_error(directory_.string() + " has made a Lua that does not work");
  }

private:
  [[nodiscard]] Words with(const std::string &target) const {
    Words all = make_;
    all.push_back(target);
    return all;
  }

  std::filesystem::path directory_;
  Words make_;
};

} // namespace

std::vector<Figure> measure() {
  const Place place;
  place.write("lua.sartor", "[handler.luaV_execute]\n");
  const std::string ours = beside_this("sartor-cc") + " --sartor-cc=clang-22";
  const Build stock(place, "stock", "clang-22");
  const Build plain(place, "plain", ours);
  const Build handlers(place, "handlers",
                       ours + " --sartor-declarations=" + place.file("lua.sartor"));
  const std::vector<Samples> wall = interleave_samples({[&] { return stock.milliseconds(); },
                                                        [&] { return plain.milliseconds(); },
                                                        [&] { return handlers.milliseconds(); }},
                                                       rounds(kRounds));
  for (const Build *build : {&stock, &plain, &handlers})
    build->check(place);
  return {{.name = "build_ratio",
           .unit = "ratio",
           .measured = ratio(wall[2], wall[0]),
           .goal = at_most(1.5)},
          {.name = "plain_build_ratio", .unit = "ratio", .measured = ratio(wall[1], wall[0])},
          {.name = "clang_ms", .unit = "ms", .measured = median(wall[0])}};
}

} // namespace sartor::bench
