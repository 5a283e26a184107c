// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDIES_LINUX_MEASURE_H
#define SARTOR_STUDIES_LINUX_MEASURE_H

#include <cstddef>
#include <map>

#include "harness.h"

namespace linux_study {

using sartor::bench::Samples;

/// Sends of one size over a device that drops them. Each sample is the mean of a batch of sends,
/// in ticks; batches of the three ways take turns.
struct Sends {
  Samples sendto;  ///< __sys_sendto()
  Samples generic; ///< The handler's generic code.
  Samples token;   ///< customized_send(), specialized.
  Samples bytes;   ///< Of the variant, one for each boot.
};

struct Measured {
  std::map<std::size_t, Sends> by_size;
  Samples compiled, cached; ///< Milliseconds of a request.
};

/// Boots the kernel as many times. Throws std::runtime_error with what it has printed if that
/// fails.
Measured measure_sends(int boots);

} // namespace linux_study

#endif
