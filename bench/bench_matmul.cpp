// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures the gain of knowing the block size of a blocked matrix product, and whether code
/// made at run time is as good as code with the constant in its source.

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>

#include <sartor/sartor.hpp>

#include "harness.h"
#include "matmul_versions.h"

namespace sartor::bench {

const char *const bench_name = "matmul";

namespace {

constexpr std::size_t kRounds = 101;
constexpr std::size_t kChoices = std::size(kBlocks);

struct Matrices {
  explicit Matrices(std::size_t n) : n(n), a(n * n), b(n * n), c(n * n) {
    for (std::size_t i = 0; i < n * n; ++i) {
      a[i] = i * 0x9e3779b97f4a7c15;
      b[i] = (i ^ 0x5bd1e995) * 0xc2b2ae3d27d4eb4f;
    }
  }

  template <class F> void multiply(F &&function, std::size_t block) {
    function(a.data(), b.data(), c.data(), n, block);
  }

  std::size_t n;
  std::vector<std::uint64_t> a, b, c;
};

/// A runtime whose active variant is for one block size.
struct Specialized {
  explicit Specialized(std::size_t block) : handler(runtime.handler<&product>()) {
    runtime.specialize({{"B", block}});
  }
  Runtime runtime;
  Handler<Product> handler;
};

constexpr Product *kConstants[] = {constant_product<2>,  constant_product<4>,
                                   constant_product<8>,  constant_product<16>,
                                   constant_product<32>, constant_product<64>};

/// Throws if the versions do not agree.
void verify(Matrices matrices, const std::vector<std::unique_ptr<Specialized>> &specialized) {
  const auto result = [&](auto &&function, std::size_t block) {
    matrices.c.assign(matrices.c.size(), 0);
    matrices.multiply(function, block);
    return matrices.c;
  };
  const auto expected = result(variable_product, 1);
  for (std::size_t i = 0; i < kChoices; ++i)
    if (result(variable_product, kBlocks[i]) != expected ||
        result(tuned_variable_product, kBlocks[i]) != expected ||
        result(kConstants[i], kBlocks[i]) != expected ||
        result(specialized[i]->handler, kBlocks[i]) != expected)
      throw std::runtime_error("a product is wrong at B=" + std::to_string(kBlocks[i]));
}

/// The versions, each with every block size.
struct Results {
  std::vector<Samples> variable, tuned, constant, specialized;
};

Results run(Matrices &matrices, const std::vector<std::unique_ptr<Specialized>> &specialized) {
  const int repetitions = matrices.n <= 64 ? 10 : 1;
  std::vector<Alternative> alternatives;
  const auto add = [&](const char *name, auto function, std::size_t block) {
    alternatives.push_back({name, [&matrices, function, block, repetitions] {
                              for (int i = 0; i < repetitions; ++i)
                                matrices.multiply(function, block);
                            }});
  };
  for (std::size_t i = 0; i < kChoices; ++i) {
    add("variable", &variable_product, kBlocks[i]);
    add("tuned variable", &tuned_variable_product, kBlocks[i]);
    add("constant", kConstants[i], kBlocks[i]);
    add("specialized", specialized[i]->handler, kBlocks[i]);
  }
  const std::vector<Samples> samples = interleave(alternatives, kRounds);

  Results results;
  for (std::size_t i = 0; i < kChoices; ++i) {
    results.variable.push_back(samples[4 * i]);
    results.tuned.push_back(samples[4 * i + 1]);
    results.constant.push_back(samples[4 * i + 2]);
    results.specialized.push_back(samples[4 * i + 3]);
    const auto thousand_ticks = [&](const std::vector<Samples> &way) {
      return median(way[i]).value / repetitions / 1000;
    };
    std::printf("N=%-4zu B=%-3zu thousand ticks per product: variable %.1f (tuned %.1f), "
                "constant %.1f, specialized %.1f\n",
                matrices.n, kBlocks[i], thousand_ticks(results.variable),
                thousand_ticks(results.tuned), thousand_ticks(results.constant),
                thousand_ticks(results.specialized));
  }
  return results;
}

} // namespace

std::vector<Figure> measure() {
  std::vector<std::unique_ptr<Specialized>> specialized;
  for (const std::size_t block : kBlocks)
    specialized.push_back(std::make_unique<Specialized>(block));
  verify(Matrices(128), specialized);

  std::vector<Figure> over_variable;
  std::vector<Figure> over_tuned;
  std::vector<Figure> over_constant;
  for (const std::size_t n : {64U, 256U}) {
    Matrices matrices(n);
    const Results results = run(matrices, specialized);
    const std::size_t best = fastest(results.specialized);
    const Samples &best_variable = results.variable[fastest(results.variable)];
    const std::string suffix = "_n" + std::to_string(n);
    over_variable.push_back({"variable_over_specialized" + suffix, "ratio",
                             ratio(best_variable, results.specialized[best]),
                             n == 64 ? at_least(2.5) : Goal{}});
    over_tuned.push_back({"tuned_variable_over_specialized" + suffix, "ratio",
                          ratio(results.tuned[fastest(results.tuned)], results.specialized[best])});
    over_constant.push_back({"specialized_over_constant" + suffix, "ratio",
                             ratio(results.specialized[best], results.constant[best]),
                             at_most(1.03)});
  }
  over_variable.insert(over_variable.end(), over_constant.begin(), over_constant.end());
  over_variable.insert(over_variable.end(), over_tuned.begin(), over_tuned.end());
  return over_variable;
}

} // namespace sartor::bench
