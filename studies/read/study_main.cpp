// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file read_study OUTPUT: measures, and writes tables.md and data for the plots.
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "fused_table.h"
#include "tables.h"

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fputs("usage: read_study OUTPUT\n", stderr);
    return 2;
  }
  try {
    const std::filesystem::path output = argv[1];
    std::filesystem::create_directories(output);
    std::ofstream tables(output / "tables.md");
    std::ofstream sizes(output / "sizes.dat");
    std::ofstream quasi_invariants(output / "facts.dat");
    files::write_sizes(tables, sizes);
    files::write_quasi_invariants(tables, quasi_invariants);
    files::write_fused(tables);
    if (!tables.flush() || !sizes.flush() || !quasi_invariants.flush())
      throw std::runtime_error(output.string() + " cannot be written to");
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "read_study: %s\n", error.what());
    return 1;
  }
}
