// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Static probes of the provider `sartor`, for bpftrace, SystemTap and perf. A probe is one
/// instruction that does nothing until a tracer is attached. docs/reference/control.md lists them.
#ifndef SARTOR_BASE_PROBES_H
#define SARTOR_BASE_PROBES_H

#define SDT_USE_VARIADIC
#include <sys/sdt.h>

/// SARTOR_PROBE(name, arguments...): integers and texts that end with 0.
#define SARTOR_PROBE(name, ...) STAP_PROBEV(sartor, name, __VA_ARGS__)

#endif
