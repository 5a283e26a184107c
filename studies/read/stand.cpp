// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "stand.h"

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <thread>

#include "image.h"

namespace files {

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kPage = 4096;
constexpr std::size_t kMebibytes = 16;
constexpr std::size_t kBuffers = 2048;
/// Maximum waiting time, even on a busy machine.
constexpr auto kPatience = 60s;

/// Quasi-invariants that are invalidated repeatedly for measurements must become valid again
/// quickly.
sartor::QuasiInvariantOptions steady() {
  sartor::QuasiInvariantOptions options;
  options.longest_back_off = options.back_off;
  return options;
}

} // namespace

ScratchFolder::ScratchFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "sartor-read-XXXXXX").string();
  if (!mkdtemp(name.data()))
    throw std::runtime_error("no folder can be made in " + name);
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

void make_stand_image(const std::filesystem::path &image, std::size_t block_bytes) {
  const ScratchFolder folder;
  std::ofstream(folder.path() / "file", std::ios::binary) << std::string(Stand::kFileBytes, 'x');
  for (std::size_t i = 0; i < kOthers; ++i)
    std::ofstream(folder.path() / std::to_string(i)) << "small";
  make_image(image, folder.path(), block_bytes, kMebibytes);
}

Stand::Stand(std::size_t block_bytes)
    : to_(static_cast<char *>(std::aligned_alloc(kPage, kFileBytes)), &std::free) {
  const std::filesystem::path image = folder_.path() / "image";
  make_stand_image(image, block_bytes);
  service_ = std::make_unique<FileService>(image, kBuffers, runtime_, steady());
  client_ = &service_->add_client();
  descriptor_ = static_cast<int>(service_->open(*client_, "/file", kReading));
  read_all(kFileBytes);
}

void Stand::use(bool specialized, long wanted) {
  if (reader_)
    slot().reader.store(reader_);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (FileService::active_quasi_invariants(*client_, descriptor_) != wanted) {
    if (std::chrono::steady_clock::now() > end)
      throw std::runtime_error("the facts do not come to hold");
    std::this_thread::sleep_for(500us);
  }
  reader_ = slot().reader.load();
  if (!specialized)
    slot().reader.store(nullptr);
}

void Stand::read_all(std::size_t bytes) {
  File &file = *slot().file;
  file.stream.end = 0;
  file.offset = 0;
  std::size_t got = 0;
  for (std::size_t begin = 0; begin < kFileBytes; begin += bytes)
    got += static_cast<std::size_t>(service_->read(*client_, descriptor_, to_.get(), bytes));
  if (got != kFileBytes)
    throw std::runtime_error("a read gives other than it should");
}

} // namespace files
