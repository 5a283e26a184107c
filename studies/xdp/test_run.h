// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_XDP_TEST_RUN_H
#define SARTOR_STUDY_XDP_TEST_RUN_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct bpf_object;

namespace xdp {

/// A program's verdict and output frame.
struct Ran {
  std::uint32_t verdict = 0;
  std::string frame;
  bool operator==(const Ran &) const = default;
};

/// Runs a program in the kernel, by its descriptor. Throws std::runtime_error if the kernel rejects
/// the frame.
Ran run(int program, const std::string &frame);

/// Many packets to time a handler with, by the kernel's own clock. Throws std::runtime_error.
class Sequence {
public:
  /// Frames of at most 64 bytes; they are repeated, or truncated, to `sequence_length`.
  explicit Sequence(const std::vector<std::string> &frames);
  ~Sequence();
  Sequence(const Sequence &) = delete;
  Sequence &operator=(const Sequence &) = delete;

  void set(const std::vector<std::string> &frames);
  /// Nanoseconds per packet; `program` is a descriptor.
  double time(int program, std::uint32_t packets);
  /// The part of it that passing a packet to a handler takes.
  double time_of_nothing(std::uint32_t packets);

private:
  [[nodiscard]] int program(const char *name) const;
  [[nodiscard]] int map(const char *name) const;

  bpf_object *object_;
};

} // namespace xdp

#endif
