// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef READ_STAND_H
#define READ_STAND_H

#include <cstddef>
#include <filesystem>
#include <memory>

#include <sartor/sartor.hpp>

#include "service.h"

namespace files {

/// A folder that is removed with this object.
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

/// Makes an image with a file of Stand::kFileBytes, "/file", and kOthers small ones, "/0" and so
/// on. Throws std::runtime_error.
constexpr std::size_t kOthers = 16;
void make_stand_image(const std::filesystem::path &image, std::size_t block_bytes);

/// The setup of the measurements: a mounted image with one open file, whose reads can be
/// specialized or generic, in the same memory. For one thread.
class Stand {
public:
  static constexpr std::size_t kFileBytes = 256 << 10;

  static constexpr std::size_t kBlockBytes = 4096;

  /// Throws the errors of FileService and sartor::Runtime.
  explicit Stand(std::size_t block_bytes = kBlockBytes);

  /// Selects specialized code that depends on exactly the quasi-invariants `wanted`, or generic
  /// code. Throws std::runtime_error if they do not become valid.
  void use(bool specialized, long wanted = kAllQuasiInvariants);
  /// Reads the whole file in pieces of `bytes`. Throws std::runtime_error if the content is wrong.
  /// Resets the offset without lseek(), which would invalidate a quasi-invariant.
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
