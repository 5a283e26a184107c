// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BPF_VARIANT_H
#define SARTOR_BPF_VARIANT_H

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <sartor/bpf_runtime.hpp>

#include "bpf/object.h"
#include "bpf/shared_maps.h"
#include "core/image/image.h"
#include "core/request/context.h"

namespace sartor::bpf {

/// A specialized handler's program in the kernel. It is there as long as this is, or something in
/// the kernel leads to it.
class Variant {
public:
  /// Loads an image's object, under the name of the generic one, in the way in which its generic
  /// program was. `points`: of the space. Fails as Object::load() does.
  static Result<std::shared_ptr<const Variant>>
  load(const core::Image &image, const std::string &object, const core::Context &context,
       const bpf_program &generic, const SharedMaps &shared, std::uint32_t points,
       std::chrono::nanoseconds compile_time);

  [[nodiscard]] int program() const { return program_; }
  [[nodiscard]] const BpfVariant &told() const { return told_; }
  /// How often guards have failed in it, in the order of the space; empty where none counts.
  [[nodiscard]] std::vector<std::uint64_t> guard_failures(std::size_t points) const;
  /// The map of what is seen; -1 where nothing is instrumented.
  [[nodiscard]] int profile() const;

private:
  explicit Variant(Object object) : object_(std::move(object)) {}

  Object object_;
  int program_ = -1;
  BpfVariant told_;
};

/// What its program is called: an identifier, which BPF wants, that tells handler and settings.
std::string program_name(const core::Context &context);

} // namespace sartor::bpf

#endif
