// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tls_destructors.h"

#include <cstdio>

Announced::Announced(std::string text) : text_(std::move(text)) {
  std::printf("made: %s\n", text_.c_str());
}
Announced::~Announced() { std::printf("gone: %s\n", text_.c_str()); }

void announce(const std::string &text) {
  thread_local const Announced announced(text);
  std::printf("here: %s\n", announced.text().c_str());
}
