// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Replaces libFuzzer in builds without it: runs a fuzzer on the named files, unchanged.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <vector>

// NOLINTBEGIN(readability-identifier-naming): libFuzzer's names
extern "C" {
int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size);
std::size_t LLVMFuzzerMutate(std::uint8_t *data, std::size_t size, std::size_t most);
}

/// Used by custom mutators; nothing is mutated here.
std::size_t LLVMFuzzerMutate(std::uint8_t * /*data*/, std::size_t size, std::size_t /*most*/) {
  return size;
}
// NOLINTEND(readability-identifier-naming)

int main(int count, char **arguments) {
  for (int i = 1; i < count; ++i) {
    std::ifstream file(arguments[i], std::ios::binary);
    const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
    if (!file) {
      std::fprintf(stderr, "%s cannot be read\n", arguments[i]);
      return 1;
    }
    LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size());
  }
  std::printf("%d inputs\n", count - 1);
  return 0;
}
