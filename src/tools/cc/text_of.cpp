// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tools/cc/text_of.h"

#include <cerrno>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace sartor::cc {

std::string text_of(int descriptor) {
  constexpr std::size_t kPiece = 1 << 16;
  std::string text;
  for (;;) {
    const std::size_t size = text.size();
    text.resize(size + kPiece);
    const ssize_t count = read(descriptor, text.data() + size, kPiece);
    text.resize(size + (count > 0 ? static_cast<std::size_t>(count) : 0));
    if (count == 0 || (count < 0 && errno != EINTR))
      return text;
  }
}

std::optional<std::string> text_of(const std::string &path) {
  // O_NONBLOCK: a pipe without a writer would block.
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0)
    return std::nullopt;
  struct stat status{};
  std::optional<std::string> text;
  if (fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode))
    text = text_of(descriptor);
  close(descriptor);
  return text;
}

} // namespace sartor::cc
