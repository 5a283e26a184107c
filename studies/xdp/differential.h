// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_XDP_DIFFERENTIAL_H
#define SARTOR_STUDY_XDP_DIFFERENTIAL_H

#include <string>
#include <vector>

#include "kernel_map.h"

namespace xdp {

/// A handler's program with its own maps.
struct Side {
  int program;
  MapSource maps;
};

/// A map, and the number of bytes at the start of its values that are times, which are not
/// compared.
struct Compared {
  std::string name;
  std::size_t time_bytes = 0;
};

/// Runs both sides, whose maps must be equal, with each frame in turn. Empty, or a description of
/// the first difference in verdicts, output frames, or the final maps.
std::string difference(const Side &one, const Side &other, const std::vector<std::string> &frames,
                       const std::vector<Compared> &maps);

} // namespace xdp

#endif
