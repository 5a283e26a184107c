// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Linux 6.6's numbers of tcx hooks, which the system's headers may be too old for.
#ifndef SARTOR_BPF_TCX_H
#define SARTOR_BPF_TCX_H

#include <cstdint>

#include <linux/bpf.h>

namespace sartor::bpf {

constexpr auto kTcxIngress = static_cast<bpf_attach_type>(46);
constexpr auto kTcxEgress = static_cast<bpf_attach_type>(47);
constexpr std::uint32_t kTcxLink = 11; ///< A type of link.

} // namespace sartor::bpf

#endif
