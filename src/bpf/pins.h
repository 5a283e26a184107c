// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BPF_PINS_H
#define SARTOR_BPF_PINS_H

#include <filesystem>
#include <utility>

#include <bpf/libbpf.h>

#include "base/result.h"

namespace sartor::bpf {

/// A directory in a bpffs in which an object's maps are pinned, or none: then all that it does
/// succeeds. A value.
class Pins {
public:
  explicit Pins(std::filesystem::path directory) : directory_(std::move(directory)) {}

  /// Whether there is such a directory, or can be one; makes nothing. Fails with kernel_lacks.
  [[nodiscard]] Result<void> check() const;
  /// Has an object that is not loaded yet use the maps that are pinned. Fails with bad_bpf_object.
  Result<void> use_maps(bpf_object &object) const;
  /// Makes the directory, and pins what is not pinned yet. Where that fails, nothing that it has
  /// made is left.
  Result<void> pin_maps(bpf_object &object) const;

private:
  std::filesystem::path directory_;
};

} // namespace sartor::bpf

#endif
