// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BPF_SAMPLE_PACKETS_H
#define SARTOR_BPF_SAMPLE_PACKETS_H

#include <string>
#include <vector>

#include "core/request/context.h"

namespace sartor::bpf {

/// Makes packets for test runs, always the same: Ethernet with and without VLAN tags, IPv4 (with
/// options and without), IPv6, UDP, TCP, and other bytes; 14 to 1,514 bytes long. Values of the
/// configuration, and keys of the maps whose content is folded, are placed in some of them.
std::vector<std::string> sample_packets(const core::Context &context, unsigned count);

} // namespace sartor::bpf

#endif
