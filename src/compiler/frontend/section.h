// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_SECTION_H
#define SARTOR_COMPILER_FRONTEND_SECTION_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sartor::compiler {

/// The sections of an object file that hold handler modules: descriptors (an array between symbols
/// of the linker's) and framed bitcode, which can be read from a file without running it.
constexpr const char *kDescriptorSection = "sartor_modules";
constexpr const char *kBitcodeSection = ".sartor.bitcode";
constexpr std::size_t kFrameHeaderSize = 16;

/// Bitcode with the header by which it is found again after the linker has joined the sections of
/// several files: magic and size, padded to 8 bytes.
std::string framed(std::string_view bitcode);
/// The frames of a section. Fails with bad_bitcode; `file` is for the message.
Result<std::vector<std::string>> unframe(std::string_view section, const std::string &file);

/// The bitcode of every handler module in an ELF file. Fails with file_error, no_handler_module,
/// bad_bitcode.
Result<std::vector<std::string>> embedded_bitcode(const std::string &path);
/// The bitcode of the handlers in an object file for the kernel. `name` is for messages. Fails with
/// file_error, no_handler_module, bad_bitcode.
Result<std::string> kernel_bitcode(const std::string &name, const std::string &object);

} // namespace sartor::compiler

#endif
