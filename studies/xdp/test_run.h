// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_XDP_TEST_RUN_H
#define SARTOR_STUDY_XDP_TEST_RUN_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

struct bpf_object;

namespace xdp {

/// What a program has made of a frame.
struct Ran {
  std::uint32_t verdict = 0;
  std::string frame;
  bool operator==(const Ran &) const = default;
};

/// Runs a program in the kernel, by its descriptor. Throws std::runtime_error where the kernel
/// takes no such frame.
Ran run(int program, const std::string &frame);

/// Many packets for a handler that is timed, by the kernel's own clock. Throws std::runtime_error.
class Sequence {
public:
  /// Frames of 64 bytes at most; they are repeated, or cut off, to `sequence_length`.
  explicit Sequence(const std::vector<std::string> &frames);
  ~Sequence();
  Sequence(const Sequence &) = delete;
  Sequence &operator=(const Sequence &) = delete;

  void set(const std::vector<std::string> &frames);
  /// Nanoseconds for a packet; `program` is a descriptor.
  double time(int program, std::uint32_t packets);
  /// Of these, what it takes to put a packet before a handler.
  double time_of_nothing(std::uint32_t packets);

private:
  [[nodiscard]] int program(const char *name) const;
  [[nodiscard]] int map(const char *name) const;

  bpf_object *object_;
};

} // namespace xdp

#endif
