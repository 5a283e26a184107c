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

constexpr std::size_t kBlock = 4096;
constexpr std::size_t kMebibytes = 16;
constexpr std::size_t kBuffers = 2048;
/// So long at most, whatever the machine is at.
constexpr auto kPatience = 60s;
constexpr int kWarmings = 20;

/// Each open file seeks between measurements: that is no reason to trust it less and less.
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

Stand::Stand()
    : to_(static_cast<char *>(std::aligned_alloc(kBlock, kFileBytes)), &std::free) {
  const std::filesystem::path files = folder_.path() / "files";
  const std::filesystem::path image = folder_.path() / "image";
  std::filesystem::create_directory(files);
  std::ofstream(files / "file", std::ios::binary) << std::string(kFileBytes, 'x');
  make_image(image, files, kBlock, kMebibytes);
  service_ = std::make_unique<FileService>(image, kBuffers, runtime_, steady());
  client_ = &service_->add_client();
  descriptor_ = static_cast<int>(service_->open(*client_, "/file", kReading));
  read(kFileBytes, 1);
  FileSystem &system = service_->file_system();
  Inode *inode = system.inode(static_cast<unsigned>(system.find("/file")));
  for (std::uint64_t block = 0; block < kFileBytes / kBlock; ++block) {
    std::uint64_t physical = 0;
    system.block_of(*inode, block, physical);
    Buffer *buffer = system.cache().get(physical);
    blocks_.push_back(buffer);
    unpin(*buffer); // nothing goes: the cache is larger than the file system's blocks in use
  }
}

void Stand::rewind(bool specialized, long wanted) {
  Slot &slot = client_->slots[descriptor_];
  if (reader_)
    slot.reader.store(reader_);
  service_->lseek(*client_, descriptor_, 0, From::beginning);
  const auto end = std::chrono::steady_clock::now() + kPatience;
  while (FileService::facts_in_force(*client_, descriptor_) != wanted) {
    if (std::chrono::steady_clock::now() > end)
      throw std::runtime_error("the facts do not come to hold");
    std::this_thread::sleep_for(500us);
  }
  reader_ = slot.reader.load();
  if (!specialized)
    slot.reader.store(nullptr);
  warm();
}

// As often as it takes until the processor has woken up, too.
void Stand::warm() {
  for (int i = 0; i < kWarmings; ++i)
    for (const Buffer *block : blocks_)
      std::memcpy(to_.get(), block->bytes, kBlock);
}

void Stand::read(std::size_t bytes, std::size_t times) {
  std::size_t got = 0;
  for (std::size_t i = 0; i < times; ++i)
    got += static_cast<std::size_t>(service_->read(*client_, descriptor_, to_.get(), bytes));
  if (got != times * bytes)
    throw std::runtime_error("a read gives other than it should");
}

} // namespace files
