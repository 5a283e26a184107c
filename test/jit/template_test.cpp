// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Templates: code with holes that are filled with values, compared with the native code.
#include <cmath>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/compiler/no_deadline.h"
#include "core/space/fit.h"
#include "paths.h"
#include "runtime/jit/choose_compiler.h"
#include "runtime/jit/worker.h"
#include "runtime/templates.h"
#include "template_handlers.h"

namespace {

using namespace sartor;

class Template : public testing::Test {
protected:
  Template() {
    std::ifstream file(paths::template_handlers(), std::ios::binary);
    auto loaded = (*runtime::in_process_compiler())
                      ->load_file(paths::template_handlers(),
                                  std::string(std::istreambuf_iterator<char>(file), {}));
    module_ = std::make_shared<const core::HandlerModule>(std::move(loaded.value()));
    linker_ = std::make_shared<runtime::Linker>(module_->symbols);
    counters_.reset(new std::uint64_t[module_->space.points().size()]());
    worker_ = std::make_unique<runtime::Worker>(module_, linker_, counters_);
  }

  [[nodiscard]] std::optional<Fitting> fitting(const std::string &handler,
                                               const Configuration &configuration) const {
    core::Context context;
    context.handler = handler;
    context.configuration = fit(configuration, module_->space).value();
    return fitting_template(context, module_->space);
  }

  /// The handler's variant for these values, made from a template.
  template <class Function>
  Function *filled(const std::string &handler, const Configuration &configuration) {
    const auto fitting = this->fitting(handler, configuration);
    if (!fitting)
      throw std::runtime_error("no template fits " + configuration.text());
    auto &image = images_[handler + fitting->context.configuration.text()];
    const runtime::VariantRecipe recipe{
        fitting->context, handler + " (template)", core::Tier::full, {}};
    if (!image) {
      auto made = worker_->make_template(recipe, core::NoDeadline());
      if (!made)
        throw std::runtime_error(made.error().text());
      image = std::move(*made);
    }
    code_.push_back(
        fill(*image, handler + "'", fitting->values, counters_.get(), *linker_).value());
    EXPECT_EQ(code_.back()->origin, core::CodeOrigin::filled);
    return reinterpret_cast<Function *>(code_.back()->entry());
  }
  [[nodiscard]] bool is_operand(const std::string &label) const {
    return module_->space.find(label)->is_operand;
  }
  [[nodiscard]] std::uint64_t failures() const {
    return std::accumulate(counters_.get(), counters_.get() + module_->space.points().size(),
                           std::uint64_t{0});
  }

  std::map<std::string, std::optional<core::CodeImage>> images_;

private:
  std::shared_ptr<const core::HandlerModule> module_;
  std::shared_ptr<runtime::Linker> linker_;
  std::shared_ptr<std::uint64_t[]> counters_;
  std::unique_ptr<runtime::Worker> worker_;
  std::vector<std::unique_ptr<runtime::Code>> code_;
};

const std::vector<std::int64_t> kWords{0,
                                       1,
                                       -1,
                                       2,
                                       -7,
                                       255,
                                       65536,
                                       -2147483648LL,
                                       4096,
                                       123456789,
                                       1LL << 40,
                                       std::numeric_limits<std::int64_t>::min(),
                                       std::numeric_limits<std::int64_t>::max()};

TEST_F(Template, IsForValuesThatAreOperandsAlone) {
  for (const char *label : {"scale", "offset", "mask", "shift_in", "seed", "factor", "term"})
    EXPECT_TRUE(is_operand(label)) << label;
  for (const char *label : {"count", "divisor", "places", "index", "is_odd"})
    EXPECT_FALSE(is_operand(label)) << label;
  EXPECT_TRUE(fitting("of_words", {{"scale", 3}}));
  EXPECT_FALSE(fitting("of_words", {{"scale", any_of({3, 4})}}));
  EXPECT_FALSE(fitting("of_words", {}));
  EXPECT_FALSE(fitting("of_others", {{"count", 3}}));
}

TEST_F(Template, ComputesTheSameWithAnyWord) {
  const std::vector<std::int64_t> values{3, -1, 4, 1, -5, 9, 2, 6, 5, 3, 5, -8};
  for (const std::int64_t scale : kWords)
    for (const std::int64_t offset : kWords) {
      auto *code = filled<decltype(of_words)>("of_words", {{"scale", scale}, {"offset", offset}});
      const std::uint64_t before = failures();
      for (std::size_t count = 0; count <= values.size(); ++count)
        EXPECT_EQ(code(values.data(), count, scale, offset),
                  of_words(values.data(), count, scale, offset));
      EXPECT_EQ(failures(), before);
      for (const std::int64_t other : kWords) { // other values, which fail the guards
        EXPECT_EQ(code(values.data(), 5, other, offset), of_words(values.data(), 5, other, offset));
        EXPECT_EQ(code(values.data(), 5, scale, other), of_words(values.data(), 5, scale, other));
      }
      EXPECT_GT(failures(), before);
    }
  EXPECT_EQ(images_.size(), 1);
}

TEST_F(Template, ComputesTheSameWithAnyNarrowNumber) {
  for (const int mask : {0, 1, 127, 128, 255})
    for (const int shift_in : {0, 1, -1, 32767, -32768})
      for (const std::uint32_t seed : {0U, 7U, 0xffffffffU}) {
        auto *code = filled<decltype(of_narrow_ones)>(
            "of_narrow_ones", {{"mask", mask}, {"shift_in", shift_in}, {"seed", seed}});
        for (const std::uint32_t x : {0U, 1U, 255U, 256U, 0x80000000U, 0xffffffffU, 12345678U})
          for (const int more : {0, 1}) {
            const auto given = static_cast<std::uint8_t>(mask + more);
            EXPECT_EQ(code(x, given, static_cast<std::int16_t>(shift_in), seed),
                      of_narrow_ones(x, given, static_cast<std::int16_t>(shift_in), seed));
          }
      }
  EXPECT_EQ(images_.size(), 1);
}

TEST_F(Template, ComputesTheSameWithAnyReal) {
  for (const double factor : {0.0, -0.0, 1.0, -2.5, 1e300, HUGE_VAL, 5e-324})
    for (const float term : {0.0F, -0.0F, 1.5F, -3e38F, 1e-45F}) {
      auto *code =
          filled<decltype(of_reals)>("of_reals", {{"factor", factor}, {"term", double{term}}});
      for (const double x : {0.0, -0.0, 1.0, -7.25, 1e308, -HUGE_VAL})
        for (const double given : {factor, 1.0, -0.0}) {
          const double expected = of_reals(x, given, term);
          const double found = code(x, given, term);
          EXPECT_EQ(std::signbit(found), std::signbit(expected));
          EXPECT_TRUE(found == expected || (std::isnan(found) && std::isnan(expected)));
        }
    }
}

} // namespace
