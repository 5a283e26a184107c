// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef READ_STAND_H
#define READ_STAND_H

#include <cstddef>
#include <filesystem>
#include <memory>

#include <sartor/sartor.hpp>

#include "service.h"

namespace files {

/// A folder that goes with this.
class ScratchFolder {
public:
  ScratchFolder(); ///< Throws std::runtime_error.
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder &) = delete;
  ScratchFolder &operator=(const ScratchFolder &) = delete;
  [[nodiscard]] const std::filesystem::path &path() const { return path_; }

private:
  std::filesystem::path path_;
};

/// An image with a file of Stand::kFileBytes, "/file", and kOthers small ones, "/0" and so on.
/// Throws std::runtime_error.
constexpr std::size_t kOthers = 16;
void make_stand_image(const std::filesystem::path &image, std::size_t block_bytes);

/// What figures are taken on: a mounted image with one file, open, whose reads are specialized or
/// not, in the same memory. For one thread.
class Stand {
public:
  static constexpr std::size_t kFileBytes = 256 << 10;

  static constexpr std::size_t kBlockBytes = 4096;

  /// Throws what FileService and sartor::Runtime throw.
  explicit Stand(std::size_t block_bytes = kBlockBytes);

  /// Calls run specialized code from now on, once just the facts `wanted` are leant on, or generic
  /// code. Throws std::runtime_error if they do not come to hold.
  void use(bool specialized, long wanted = kAllFacts);
  /// Reads the file once, so much at a time. Throws std::runtime_error if anything else comes out
  /// than should. The offset is put back without lseek(), which would break a fact.
  void read_all(std::size_t bytes);

  FileService &service() { return *service_; }
  Client &client() { return *client_; }
  [[nodiscard]] int descriptor() const { return descriptor_; }

private:
  Slot &slot() { return client_->slots[descriptor_]; }

  ScratchFolder folder_;
  sartor::Runtime runtime_;
  std::unique_ptr<FileService> service_;
  Client *client_ = nullptr;
  int descriptor_ = -1;
  const Reader *reader_ = nullptr;
  std::unique_ptr<char[], void (*)(void *)> to_;
};

} // namespace files

#endif
