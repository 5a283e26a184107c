// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BPF_LOG_H
#define SARTOR_BPF_LOG_H

#include <string>

namespace sartor::bpf {

/// While it is there, what libbpf says on this thread is kept rather than printed. Libbpf has one
/// listener in a process: on other threads, who was there before hears it.
class Listener {
public:
  Listener();
  ~Listener();
  Listener(const Listener &) = delete;
  Listener &operator=(const Listener &) = delete;

  /// Warnings, each with a new line.
  [[nodiscard]] const std::string &warnings() const { return warnings_; }

private:
  friend struct Hearing;
  std::string warnings_;
  Listener *before_;
};

/// The lines of a verifier's log that say why it refused: its last words, and where in the source
/// it was then.
std::string decisive_lines(const std::string &log);

} // namespace sartor::bpf

#endif
