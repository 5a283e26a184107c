// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BPF_TEST_EFFECTS_H
#define SARTOR_BPF_TEST_EFFECTS_H

#include <bpf/libbpf.h>

namespace sartor::bpf {

/// The effects of a program's calls of kernel functions.
struct Effects {
  bool leaves_test = false;  ///< It may change more than maps and the packet.
  bool uses_random = false;  ///< It uses random numbers.
  bool calls_others = false; ///< It makes tail calls.
};

/// Reads the instructions of a loaded program. A function that is not known leaves the test.
Effects effects_of(const bpf_program &program);

} // namespace sartor::bpf

#endif
