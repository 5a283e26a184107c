// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_NF_XDP_FUNCTIONS_H
#define SARTOR_STUDY_NF_XDP_FUNCTIONS_H

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <sartor/bpf_runtime.hpp>

#include "functions.h"

namespace nf {

/// What programs know of a function in the kernel beside its Function: handlers are called
/// NAME_from_external and NAME_from_internal.
struct XdpFunction {
  const Function &function;
  std::string_view (*object)();
  const char *flows; ///< The map that is swept.
  /// Of the bytes of a key and its value, by the configuration in force.
  bool (*is_over)(const std::string &key, const std::string &value, std::uint64_t now);
  /// Writes what the configuration that is in force in native code has beside itself; null where
  /// there is nothing. `half`: see xdp.bpf.h.
  void (*write_more)(sartor::BpfRuntime &runtime, std::uint32_t half);
};

/// The function of that name, or null where it does not run in the kernel.
const XdpFunction *xdp_function_named(std::string_view name);
std::span<const XdpFunction> all_xdp_functions();

} // namespace nf

#endif
