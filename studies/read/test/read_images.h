// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_STUDIES_READ_IMAGES_H
#define SARTOR_TEST_STUDIES_READ_IMAGES_H

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "image.h"
#include "service.h"
#include "stand.h"

/// Small blocks, so that small files have indirect and doubly indirect ones.
constexpr std::size_t kBlockSize = 1024;
/// The smallest number of buffers, so that blocks are evicted all the time.
constexpr std::size_t kBuffers = files::BlockCache::kFewest;
constexpr std::size_t kLargeBytes = 400 << 10;
constexpr std::size_t kWordsBytes = 64 << 10;

/// Each word of the file encodes its offset and its writer.
inline std::uint64_t word_at(std::uint64_t offset, std::uint64_t writer) {
  return offset | writer << 40U;
}

inline std::string words(std::uint64_t begin, std::size_t bytes, std::uint64_t writer) {
  std::string text(bytes, '\0');
  for (std::size_t i = 0; i < bytes; i += sizeof(std::uint64_t)) {
    const std::uint64_t word = word_at(begin + i, writer);
    std::memcpy(text.data() + i, &word, sizeof word);
  }
  return text;
}

/// Contains /words, /large, /small, /empty, and /sparse, which begins with a hole.
inline void make_test_image(const std::filesystem::path &image) {
  const files::ScratchFolder folder;
  const auto write = [&](const char *name, const std::string &text, std::streamoff begin = 0) {
    std::ofstream file(folder.path() / name, std::ios::binary);
    file.seekp(begin);
    file << text;
  };
  write("words", words(0, kWordsBytes, 0));
  write("large", words(0, kLargeBytes, 0));
  write("small", "a hundred bytes, or fewer");
  write("empty", "");
  write("sparse", words(0, 3000, 0), 20'000);
  files::make_image(image, folder.path(), kBlockSize, 4);
}

/// Options with which quasi-invariants become valid again at once.
inline sartor::QuasiInvariantOptions eager() {
  sartor::QuasiInvariantOptions options;
  options.back_off = std::chrono::microseconds(200);
  options.longest_back_off = std::chrono::milliseconds(2);
  return options;
}

#endif
