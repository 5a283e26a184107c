// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_LOADER_PROBE_TLS_DESTRUCTORS_H
#define SARTOR_LOADER_PROBE_TLS_DESTRUCTORS_H

#include <string>
#include <utility>

/// Reports when it is constructed and destroyed.
class Announced {
public:
  explicit Announced(std::string text);
  Announced(const Announced &) = delete;
  Announced &operator=(const Announced &) = delete;
  ~Announced();
  [[nodiscard]] const std::string &text() const { return text_; }

private:
  std::string text_;
};

/// Constructs the library's object for this thread.
void announce(const std::string &text);

#endif
