// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_KERNEL_OBJECTS_H
#define SARTOR_TOOLS_CLI_KERNEL_OBJECTS_H

#include <string_view>
#include <vector>

namespace sartor::cli {

/// True if a file is an object for the kernel (BPF).
bool is_kernel_object(std::string_view file);

/// Returns the objects for the kernel in a program, as sartor_add_bpf_handler() and skeletons embed
/// them, each once; for such an object, itself. They refer to `file`.
std::vector<std::string_view> kernel_objects_in(std::string_view file);

} // namespace sartor::cli

#endif
