// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BPF_DESCRIPTOR_H
#define SARTOR_BPF_DESCRIPTOR_H

#include <utility>

#include <unistd.h>

#include "base/file/file_handle.h"

namespace sartor::bpf {

/// A file descriptor of a program, a map or a link, which the destructor closes. If the program has
/// closed it and opened a file, directory or socket under its number, that is not touched.
class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number), identity_(number) {}
  ~Descriptor() {
    if (number_ >= 0 && base::FileIdentity(number_) == identity_)
      close(number_);
  }
  Descriptor(Descriptor &&other) noexcept
      : number_(std::exchange(other.number_, -1)), identity_(other.identity_) {}
  Descriptor &operator=(Descriptor &&other) noexcept {
    std::swap(number_, other.number_);
    std::swap(identity_, other.identity_);
    return *this;
  }
  Descriptor(const Descriptor &) = delete;
  Descriptor &operator=(const Descriptor &) = delete;

  [[nodiscard]] int number() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }

private:
  int number_ = -1;
  base::FileIdentity identity_;
};

} // namespace sartor::bpf

#endif
