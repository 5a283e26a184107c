// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file lpm_write_trees 4|6: writes all trees of the study as C, with a list of them
/// (handwritten.h).

#include <cstdio>
#include <iostream>
#include <sstream>
#include <string>

#include "generate.h"
#include "tree.h"
#include "tree_source.h"

namespace {

template <class Address> void write(const std::string &family, const std::string &type) {
  std::cout << "#include <stddef.h>\n#include <stdint.h>\n";
  std::ostringstream list;
  for (const auto &[name, set] : lpm::study_sets<Address>())
    for (const std::uint32_t leaf_size : lpm::kLeafSizes) {
      std::ostringstream function;
      function << "handwritten" << family << '_' << name << '_' << leaf_size;
      lpm::write_c(std::cout, function.str(), *set, leaf_size);
      list << "{\"" << name << "\", " << leaf_size << ", " << function.str() << "},\n";
    }
  std::cout << "const struct {\n  const char *set;\n  uint32_t leaf_size;\n  void (*lookup)(const "
            << type << " *restrict, uint32_t *restrict, size_t);\n} handwritten" << family
            << "[] = {\n"
            << list.str() << "{0, 0, 0}};\n";
}

} // namespace

int main(int argc, char **argv) {
  const std::string family = argc == 2 ? argv[1] : "";
  if (family == "4")
    write<lpm::Address4>(family, "uint32_t");
  else if (family == "6")
    write<lpm::Address6>(family, "unsigned __int128");
  else {
    std::cerr << "usage: lpm_write_trees 4|6\n";
    return 2;
  }
  return std::cout.flush() ? 0 : 1;
}
