// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BPF_LOG_H
#define SARTOR_BPF_LOG_H

#include <string>

namespace sartor::bpf {

/// While it exists, libbpf's messages on this thread are kept rather than printed. libbpf has one
/// print function in a process: messages of other threads go to the previous function.
class Listener {
public:
  Listener();
  ~Listener();
  Listener(const Listener &) = delete;
  Listener &operator=(const Listener &) = delete;

  /// The warnings, each ended by a newline.
  [[nodiscard]] const std::string &warnings() const { return warnings_; }

private:
  friend struct Hearing;
  std::string warnings_;
  Listener *before_;
};

/// Returns the lines of a verifier's log that contain the reason for the refusal: its last lines,
/// and the place in the source.
std::string decisive_lines(const std::string &log);

} // namespace sartor::bpf

#endif
