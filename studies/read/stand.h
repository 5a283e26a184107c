// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef READ_STAND_H
#define READ_STAND_H

#include <cstddef>
#include <filesystem>
#include <memory>
#include <vector>

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

/// What figures are taken on: a mounted image with one file, open, whose reads are specialized or
/// not, in the same memory. For one thread.
class Stand {
public:
  static constexpr std::size_t kFileBytes = 256 << 10;

  /// Throws what FileService and sartor::Runtime throw.
  Stand();

  /// Goes to the file's beginning and waits until reads are specialized along the facts `wanted`;
  /// then calls run that code, or the generic. What will be read is in the processor's caches. Throws
  /// std::runtime_error if the facts do not come to hold.
  void rewind(bool specialized, long wanted = kAllFacts);
  /// Reads so often so much. Throws std::runtime_error if anything else comes out than should.
  void read(std::size_t bytes, std::size_t times);

  FileService &service() { return *service_; }
  Client &client() { return *client_; }
  [[nodiscard]] int descriptor() const { return descriptor_; }

private:
  void warm();

  ScratchFolder folder_;
  sartor::Runtime runtime_;
  std::unique_ptr<FileService> service_;
  Client *client_ = nullptr;
  int descriptor_ = -1;
  const Reader *reader_ = nullptr;
  std::vector<const Buffer *> blocks_;
  std::unique_ptr<char[], void (*)(void *)> to_;
};

} // namespace files

#endif
