// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_XDP_DIFFERENTIAL_H
#define SARTOR_STUDY_XDP_DIFFERENTIAL_H

#include <string>
#include <vector>

#include "kernel_map.h"

namespace xdp {

/// A handler's program with maps of its own.
struct Side {
  int program;
  MapSource maps;
};

/// A map, and how many bytes at the beginning of its values are times, which are not compared.
struct Compared {
  std::string name;
  std::size_t time_bytes = 0;
};

/// Shows both sides, whose maps hold the same, each frame in turn. Empty, or what the first
/// difference is: of verdicts, of frames that come out, or of maps in the end.
std::string difference(const Side &one, const Side &other, const std::vector<std::string> &frames,
                       const std::vector<Compared> &maps);

} // namespace xdp

#endif
