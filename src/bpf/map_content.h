// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BPF_MAP_CONTENT_H
#define SARTOR_BPF_MAP_CONTENT_H

#include <cstdint>
#include <memory>
#include <string>

#include <bpf/libbpf.h>

#include "base/result.h"
#include "bpf/shared_maps.h"
#include "core/request/kernel_memory.h"

namespace sartor::bpf {

/// The versions of an object's read-mostly maps (core/request/kernel_names.h), in a map of their
/// own that all programs and processes share. A value that refers to that map.
class Versions {
public:
  Versions() = default;
  /// Finds the versions of a loaded object; the result is empty if it marks no map. Fails with
  /// kernel_lacks.
  static Result<Versions> of_object(const bpf_object &object);

  /// True if a map is marked.
  [[nodiscard]] bool contains(const std::string &map) const;
  /// Returns the version of a marked map.
  [[nodiscard]] std::uint64_t of(const std::string &map) const;
  /// Called by a process that changes the map, before and after the change.
  void increment(const std::string &map) const;
  /// Returns the offset of a map's version in the map of versions, in bytes.
  [[nodiscard]] std::uint32_t offset(const std::string &map) const;
  [[nodiscard]] int descriptor() const { return map_; }
  /// The size of the value of the map of versions.
  [[nodiscard]] std::uint32_t bytes() const { return bytes_; }

private:
  struct Memory;

  int map_ = -1;
  std::uint32_t bytes_ = 0;
  Variables places_;
  std::shared_ptr<Memory> memory_;
};

/// Returns the content of a map at one version. Fails with bad_bpf_object if maps of its kind
/// cannot be read-mostly, with bad_invariant if it changes all the time.
Result<core::KernelMap> read_map(const bpf_map &map, const Versions &versions);

/// Returns the constants of a loaded object that were set before it was loaded.
Result<std::map<std::string, std::string, std::less<>>> read_settings(const bpf_object &object);

} // namespace sartor::bpf

#endif
