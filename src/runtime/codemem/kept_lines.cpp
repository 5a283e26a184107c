// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/codemem/kept_lines.h"

#include <atomic>
#include <fstream>
#include <string>

namespace sartor::runtime {

namespace {

constexpr std::size_t kMost = 1U << 20;

std::atomic<std::size_t> kept{0};

// proc(5): the process that traces this one, or 0.
bool is_traced() {
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;)
    if (word == "TracerPid:")
      return status >> word && word != "0";
  return false;
}

} // namespace

KeptLines::KeptLines(const core::CodeImage &image) {
  for (const core::DebugSection &section : image.debug)
    bytes_ += section.content.size();
  kept += bytes_;
  are_kept_ = kept <= kMost || is_traced();
  if (!are_kept_)
    kept -= std::exchange(bytes_, 0);
}

KeptLines::~KeptLines() { kept -= bytes_; }

} // namespace sartor::runtime
