// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// make_images ARCHITECTURE BITCODE DIRECTORY: compiles variants of the handlers in handlers.c for
/// another architecture into DIRECTORY/<number>. DIRECTORY/list has a line for each with its
/// handler and configuration.

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <sartor/configuration.hpp>

#include "core/compiler/compiler.h"
#include "core/compiler/find_compiler.h"
#include "core/compiler/no_deadline.h"
#include "core/image/pack.h"
#include "core/space/fit.h"

using namespace sartor;

namespace {

const std::vector<std::pair<std::string, Configuration>> &wanted() {
  static const std::vector<std::pair<std::string, Configuration>> all{
      {"sums", {}},
      {"sums", {{"count", 12}}},
      {"sums", {{"count", 100}, {"step", 3}}},
      {"sums", {{"step", any_of({1, 2})}}},
      {"sums", {{"count", unguarded(Setting(5))}, {"step", 2}}},
      {"divisions", {}},
      {"divisions", {{"divisor", 7}}},
      {"divisions", {{"divisor", 1024}}},
      {"divisions", {{"divisor", -3}}},
      {"reals", {}},
      {"reals", {{"scale", 0.5}}},
      {"reals", {{"scale", 3.0}}},
      {"choices", {}},
      {"choices", {{"way", 2}}},
      {"choices", {{"way", 3}}},
      {"choices", {{"way", 5}}},
      {"choices", {{"way", any_of({0, 4, 7})}}},
      {"copies", {}},
      {"copies", {{"size", 0}}},
      {"copies", {{"size", 17}}},
      {"copies", {{"size", 63}}},
      {"narrow", {}},
      {"narrow", {{"low", 255}}},
      {"narrow", {{"low", 7}, {"high", -1}}},
      {"hidden", {}},
      {"hidden", {{"surplus", 3}}}};
  return all;
}

} // namespace

int main(int count, char **words) {
  if (count != 4)
    return std::puts("usage: make_images ARCHITECTURE BITCODE DIRECTORY"), 2;
  const std::filesystem::path directory = words[3];
  const auto fail = [](const Failure &why) { return std::puts(why.text().c_str()), 1; };
  std::filesystem::create_directories(directory);
  auto compiler = (*core::find_compiler())->aimed_at(words[1]);
  if (!compiler)
    return fail(compiler.error());
  std::ifstream file(words[2], std::ios::binary);
  auto loaded =
      (*compiler)->load_file(words[2], std::string(std::istreambuf_iterator<char>(file), {}));
  if (!loaded)
    return fail(loaded.error());
  const auto module = std::make_shared<const core::HandlerModule>(std::move(*loaded));
  const auto maker = (*compiler)->make_maker(module);
  std::ofstream list(directory / "list");
  int number = 0;
  for (const auto &[handler, configuration] : wanted())
    for (const auto tier : {core::Tier::quick, core::Tier::full}) {
      core::Context context;
      context.handler = handler;
      auto fitted = fit(configuration, module->space);
      if (!fitted)
        return fail(fitted.error());
      context.configuration = *fitted;
      const std::string name = handler + configuration.text() + "'";
      auto draft = maker->draft(context, name, {tier, {}, false}, core::NoDeadline());
      if (!draft)
        return fail(draft.error());
      const auto image = (*draft)->make(core::NoDeadline());
      if (!image)
        return fail(image.error());
      std::ofstream(directory / std::to_string(number), std::ios::binary)
          << core::pack_image(*image);
      list << number++ << ' ' << handler << ' ' << name << '\n';
    }
}
