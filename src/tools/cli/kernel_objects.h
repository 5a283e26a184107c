// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_CLI_KERNEL_OBJECTS_H
#define SARTOR_TOOLS_CLI_KERNEL_OBJECTS_H

#include <string_view>
#include <vector>

namespace sartor::cli {

/// Whether a file is an object for the kernel (BPF).
bool is_kernel_object(std::string_view file);

/// The objects for the kernel that a program has in it, as sartor_add_bpf_handler() and skeletons
/// put them there, each once; of such an object, itself. They refer to `file`.
std::vector<std::string_view> kernel_objects_in(std::string_view file);

} // namespace sartor::cli

#endif
