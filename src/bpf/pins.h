// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BPF_PINS_H
#define SARTOR_BPF_PINS_H

#include <filesystem>
#include <utility>

#include <bpf/libbpf.h>

#include "base/result.h"

namespace sartor::bpf {

/// A directory in a bpffs in which an object's maps are pinned. Without a directory, all functions
/// succeed and do nothing. A value.
class Pins {
public:
  explicit Pins(std::filesystem::path directory) : directory_(std::move(directory)) {}

  /// Checks that there is such a directory, or can be one, and that no other user can change what
  /// is in it; creates nothing. Fails with kernel_lacks or file_error.
  [[nodiscard]] Result<void> check() const;
  /// Makes an object that is not loaded yet use the pinned maps. Fails with bad_bpf_object.
  Result<void> use_maps(bpf_object &object) const;
  /// Creates the directory, and pins maps that are not pinned yet. On failure, removes everything
  /// that it has created.
  Result<void> pin_maps(bpf_object &object) const;

private:
  std::filesystem::path directory_;
};

} // namespace sartor::bpf

#endif
