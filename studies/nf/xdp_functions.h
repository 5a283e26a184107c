// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_STUDY_NF_XDP_FUNCTIONS_H
#define SARTOR_STUDY_NF_XDP_FUNCTIONS_H

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include <sartor/bpf/runtime.hpp>

#include "functions.h"

namespace nf {

/// The loader's description of a function in the kernel, in addition to its Function: handlers are
/// called NAME_from_external and NAME_from_internal.
struct XdpFunction {
  const Function &function;
  std::string_view (*object)();
  const char *flows; ///< The map to sweep.
  /// Returns whether an entry has expired according to the active configuration, given the bytes of
  /// key and value.
  bool (*is_over)(const std::string &key, const std::string &value, std::uint64_t now);
  /// Writes the data that the native code's active configuration has outside of its struct; null if
  /// there is none. `half`: see xdp.bpf.h.
  void (*write_more)(sartor::BpfRuntime &runtime, std::uint32_t half);
};

/// The function with that name, or null if it does not run in the kernel.
const XdpFunction *xdp_function_named(std::string_view name);
std::span<const XdpFunction> all_xdp_functions();

} // namespace nf

#endif
