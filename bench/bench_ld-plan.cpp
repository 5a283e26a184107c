// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures the cost of a program's first start, which makes its plan: the time of a run
/// without a cached plan minus that of a run with one, per megabyte (10^6 bytes) of executable
/// segments of the program and its libraries.

#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>

#include <elf.h>

#include "ld.h"

namespace sartor::bench {

const char *const bench_name = "ld-plan";

namespace {

const std::vector<Words> kPrograms{
    {"/usr/bin/sqlite3", "--version"},
    {"/usr/bin/git", "--version"},
    {"/usr/bin/openssl", "version"},
    {"/usr/bin/curl", "--version"},
    {"/usr/bin/python3", "-I", "-S", "-c", "pass"},
    {"/usr/bin/redis-server", "--version"},
    {"/usr/bin/gdb", "--version"},
};

/// Returns the bytes of executable segments in one file.
double executable_bytes(const std::string &path) {
  std::ifstream in(path, std::ios::binary);
  Elf64_Ehdr header{};
  in.read(reinterpret_cast<char *>(&header), sizeof header);
  if (!in || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0)
    throw std::runtime_error("no ELF file: " + path);
  double bytes = 0;
  in.seekg(static_cast<std::streamoff>(header.e_phoff));
  for (int i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment{};
    in.read(reinterpret_cast<char *>(&segment), sizeof segment);
    if (in && segment.p_type == PT_LOAD && (segment.p_flags & PF_X) != 0)
      bytes += static_cast<double>(segment.p_filesz);
  }
  return bytes;
}

double megabytes(const Place &place, const std::string &program) {
  std::istringstream lines(output_of(place, {"/lib64/ld-linux-x86-64.so.2", "--list", program}));
  double bytes = executable_bytes(program);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t arrow = line.find("=> ");
    if (arrow == std::string::npos)
      continue;
    const std::size_t begin = arrow + 3;
    bytes += executable_bytes(line.substr(begin, line.find(' ', begin) - begin));
  }
  return bytes * 1e-6;
}

} // namespace

std::vector<Figure> measure() {
  const Place place;
  std::vector<Figure> figures;
  Samples all;
  std::vector<Figure> sizes;
  for (const Words &program : kPrograms) {
    if (!is_there(program[0]))
      continue;
    const std::string name = program[0].substr(program[0].rfind('/') + 1);
    const double size = megabytes(place, program[0]);
    const Words command = kBoth.command(program);
    Samples cold;
    Samples warm;
    for (std::size_t round = 0; round < rounds(15); ++round) {
      place.forget_plans();
      cold.push_back(run(command).wall);
      warm.push_back(run(command).wall);
      all.push_back((cold.back() - warm.back()) / size);
    }
    figures.push_back(
        {.name = "ms_per_mb_" + name, .unit = "ms/MB", .measured = difference(cold, warm, size)});
    sizes.push_back({.name = "mb_" + name, .unit = "MB", .measured = {size, size, size}});
  }
  if (all.empty())
    throw std::runtime_error("none of the programs is there");
  figures.insert(figures.begin(), {.name = "ms_per_mb", .unit = "ms/MB", .measured = median(all)});
  figures.insert(figures.end(), sizes.begin(), sizes.end());
  return figures;
}

} // namespace sartor::bench
