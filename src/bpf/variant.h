// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BPF_VARIANT_H
#define SARTOR_BPF_VARIANT_H

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <sartor/bpf/runtime.hpp>

#include "bpf/object.h"
#include "bpf/shared_maps.h"
#include "core/image/code_image.h"
#include "core/request/context.h"

namespace sartor::bpf {

/// The outcome of test runs of a variant and the generic program that do not differ.
struct Comparison {
  unsigned compared = 0; ///< Number of packets.
  std::optional<BpfNotCompared> not_compared = {};
};

/// A specialized handler's program in the kernel. It exists as long as this object, or something in
/// the kernel that refers to it.
class Variant {
public:
  /// Loads an image's object, under the name of the generic one, with the same settings as its
  /// generic program. `points` is the number of points in the space. Fails as Object::load() does.
  static Result<std::shared_ptr<Variant>>
  load(const core::CodeImage &image, const std::string &object, const core::Context &context,
       const bpf_program &generic, const SharedMaps &shared, std::uint32_t points,
       std::chrono::nanoseconds compile_time);

  [[nodiscard]] int program() const { return program_; }
  [[nodiscard]] const BpfVariant &reported() const { return reported_; }
  [[nodiscard]] const Object &object() const { return object_; }
  void set_comparison(const Comparison &comparison) {
    reported_.compared = comparison.compared;
    reported_.not_compared = comparison.not_compared;
  }
  /// Returns the number of guard failures in it, in the order of the space; empty if no guard is
  /// counted.
  [[nodiscard]] std::vector<std::uint64_t> guard_failures(std::size_t points) const;
  /// Returns the profile map; -1 if nothing is instrumented.
  [[nodiscard]] int profile() const;

private:
  explicit Variant(Object object) : object_(std::move(object)) {}

  Object object_;
  int program_ = -1;
  BpfVariant reported_;
};

/// Sets type and flags as those of a program, which may have been changed before it was loaded.
void set_alike(bpf_program &program, const bpf_program &generic);

/// Returns the name of its program: an identifier, as BPF requires, that contains handler and
/// settings.
std::string program_name(const core::Context &context);

} // namespace sartor::bpf

#endif
