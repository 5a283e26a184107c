// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures the cost of a call into another library, started by the stock loader and by
/// sartor-ld with each set of passes, by the number of libraries that are called in turn. The
/// programs and their libraries are generated. Each run is a separate process, which measures the
/// ticks per call itself after everything is bound and warm. Runs of a round follow immediately
/// after one another, in random order.

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <random>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "ld.h"

namespace sartor::bench {

const char *const bench_name = "ld-micro";

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFillers = 8;

/// Returns code that is not called, so that libraries have realistic sizes: two of these make 16 to
/// 64 KiB of code, and some data.
std::string filler(std::size_t index) {
  std::mt19937_64 random(1000 + index); // NOLINT(*-random-generator-seed): the same each time
  std::ostringstream out;
  out << "static unsigned long data[512] = {1, 2, 3};\n";
  for (std::size_t i = 0; i < 40 + (15 * index); ++i) {
    out << "__attribute__((noinline, used)) static unsigned long filler_" << i
        << "(unsigned long x) {\n";
    for (int line = 0; line < 12; ++line)
      out << "  x = x * " << random() % 100000 << "UL + (x >> " << 1 + (random() % 60)
          << ") + data[" << random() % 512 << "];\n";
    out << "  data[" << random() % 512 << "] = x;\n  return x;\n}\n";
  }
  return out.str();
}

/// Returns the function of a library, which reads and writes a few cache lines of its own data;
/// every other function calls the library before it.
std::string function(std::size_t index) {
  std::mt19937_64 random(index + 1); // NOLINT(*-random-generator-seed)
  std::ostringstream out;
  // At a random position in its page, so that these functions do not share few cache sets.
  out << "__asm__(\".text\\n.skip " << 16 * (1 + (random() % 255)) << ", 0xcc\");\n";
  out << "static unsigned long data[2048] = {1, 2, 3};\n";
  if (index % 2 == 1)
    out << "unsigned long micro_function_" << index - 1 << "(unsigned long x);\n";
  out << "unsigned long micro_function_" << index << "(unsigned long x) {\n";
  for (int line = 0; line < 3; ++line)
    out << "  x += data[" << random() % 2048 << "];\n";
  out << "  data[" << random() % 2048 << "] = x;\n";
  if (index % 2 == 1)
    out << "  x += micro_function_" << index - 1 << "(x);\n";
  out << "  return (x ^ (x >> 7)) + " << random() % 1000 << ";\n}\n";
  return out.str();
}

std::string program(std::size_t count) {
  std::mt19937_64 random(count); // NOLINT(*-random-generator-seed)
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), 0);
  std::ranges::shuffle(order, random);
  std::ostringstream out;
  out << "#include <stdio.h>\n#include <stdlib.h>\n#include <x86intrin.h>\n";
  for (std::size_t i = 0; i < count; ++i)
    out << "unsigned long micro_function_" << i << "(unsigned long x);\n";
  out << "__attribute__((noinline)) static unsigned long all(unsigned long x) {\n";
  for (const std::size_t i : order)
    out << "  x = micro_function_" << i << "(x);\n";
  out << "  return x;\n}\n"
         "static int less(const void *a, const void *b) {\n"
         "  const double x = *(const double *)a, y = *(const double *)b;\n"
         "  return (x > y) - (x < y);\n}\n"
         "int main(void) {\n"
         "  enum { blocks = 31, repeats = 40000 / "
      << count
      << " };\n"
         "  double ticks[blocks];\n"
         "  unsigned long x = 1;\n"
         "  for (int i = 0; i < repeats; ++i)\n    x = all(x);\n"
         "  for (int block = 0; block < blocks; ++block) {\n"
         "    _mm_lfence();\n"
         "    const unsigned long begin = __rdtsc();\n"
         "    _mm_lfence();\n"
         "    for (int i = 0; i < repeats; ++i)\n      x = all(x);\n"
         "    _mm_lfence();\n"
         "    ticks[block] = (double)(__rdtsc() - begin) / repeats / "
      << count
      << ";\n"
         "  }\n"
         "  qsort(ticks, blocks, sizeof *ticks, less);\n"
         "  printf(\"%.6f %lu\\n\", ticks[blocks / 2], x);\n"
         "  return 0;\n}\n";
  return out.str();
}

/// Writes a file unless it has that text already, so that make does not build it again.
void write(const fs::path &file, const std::string &text) {
  std::ifstream in(file, std::ios::binary);
  if (std::string(std::istreambuf_iterator<char>(in), {}) == text)
    return;
  std::ofstream out(file, std::ios::binary);
  out << text;
  if (!out.flush())
    throw std::runtime_error("cannot write " + file.string());
}

/// Writes and builds missing files in `directory`: as many libraries as the largest of `counts`,
/// and for each count a program micro_<count>. The program calls the function of each of its
/// libraries in turn and prints the ticks per call. Throws std::runtime_error if that fails.
void build_micro_programs(const fs::path &directory, const std::vector<std::size_t> &counts) {
  fs::create_directories(directory);
  const std::size_t most = *std::ranges::max_element(counts);
  for (std::size_t i = 0; i < most; ++i)
    write(directory / ("function_" + std::to_string(i) + ".c"), function(i));
  for (std::size_t i = 0; i < kFillers; ++i)
    write(directory / ("filler_" + std::to_string(i) + ".c"), filler(i));
  std::ostringstream rules;
  // Like Debian's packages: bound lazily, through a procedure linkage table.
  rules << "FLAGS := -O2 -fPIC -fstack-protector-strong\n"
           "all:";
  for (const std::size_t count : counts)
    rules << " micro_" << count;
  rules << "\n%.o: %.c\n\tcc $(FLAGS) -c -o $@ $<\n";
  for (std::size_t i = 0; i < most; ++i)
    rules << "libmicro_" << i << ".so: filler_" << i % kFillers << ".o function_" << i
          << ".o filler_" << i / kFillers % kFillers
          << ".o\n\tcc -shared -Wl,-z,relro -Wl,-soname,$@ -Wl,--allow-shlib-undefined -o $@ $^\n";
  for (const std::size_t count : counts) {
    const std::string name = "micro_" + std::to_string(count);
    write(directory / (name + ".c"), program(count));
    rules << name << ":";
    for (std::size_t i = 0; i < count; ++i)
      rules << " libmicro_" << i << ".so";
    rules << "\n"
          << name << ": " << name << ".c\n\tcc -O2 -fPIE -pie -Wl,-z,relro -Wl,-z,lazy "
          << "-Wl,-rpath,'$$ORIGIN' -Wl,--allow-shlib-undefined -o $@ $^\n";
  }
  write(directory / "Makefile", rules.str());
  run({"make", "-s", "-j2", "-C", directory.string()}, {.output = directory / "log"});
}

namespace fs = std::filesystem;

const std::vector<std::size_t> kCounts{10, 25, 50, 100, 200, 400};

} // namespace

std::vector<Figure> measure() {
  const fs::path build = fs::read_symlink("/proc/self/exe").parent_path().parent_path();
  build_micro_programs(build / "bench" / "ld-micro", kCounts);
  const Place place;
  const std::vector<Way> ways{kStock, kNone, kBind, kConcat, kBoth};
  std::vector<Figure> figures;
  for (const std::size_t count : kCounts) {
    const std::string name = std::to_string(count);
    const std::string program = build / "bench" / "ld-micro" / ("micro_" + name);
    std::vector<std::function<double()>> alternatives;
    for (const Way &way : ways)
      alternatives.emplace_back([&, way] {
        return std::strtod(output_of(place, way.command({program})).c_str(), nullptr);
      });
    const std::vector<Samples> ticks = interleave_samples(alternatives, rounds(40));
    for (std::size_t i = 1; i < ways.size(); ++i) {
      Figure figure{.name = "stock_over_" + ways[i].name + "_" + name,
                    .unit = "ratio",
                    .measured = ratio(ticks[0], ticks[i])};
      if (count == 100 && ways[i].name == kBoth.name) {
        figure.goal = at_least(1.19);
        figure.paper = 1.24;
      }
      figures.push_back(std::move(figure));
    }
    figures.push_back(
        {.name = "stock_ticks_" + name, .unit = "ticks", .measured = median(ticks[0])});
  }
  return figures;
}

} // namespace sartor::bench
