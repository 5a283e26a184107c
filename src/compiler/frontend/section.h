// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_FRONTEND_SECTION_H
#define SARTOR_COMPILER_FRONTEND_SECTION_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace sartor::compiler {

/// The sections of an object file that contain handler modules: descriptors (an array between
/// symbols defined by the linker) and framed bitcode, which can be read from a file without running
/// it.
constexpr const char *kDescriptorSection = "sartor_modules";
constexpr const char *kBitcodeSection = ".sartor.bitcode";
constexpr std::size_t kFrameHeaderSize = 16;

/// Adds a header to bitcode by which it can be found after the linker has concatenated the sections
/// of several files: magic and size, padded to 8 bytes.
std::string framed(std::string_view bitcode);
/// Returns the frames of a section. Fails with bad_bitcode; `file` is for the message.
Result<std::vector<std::string>> unframe(std::string_view section, const std::string &file);

/// Returns the bitcode of every handler module in an ELF file. Fails with file_error,
/// no_handler_module, bad_bitcode.
Result<std::vector<std::string>> embedded_bitcode(const std::string &path);
/// Returns the bitcode of the handlers in a kernel object file. `name` is for messages. Fails with
/// file_error, no_handler_module, bad_bitcode.
Result<std::string> kernel_bitcode(const std::string &name, const std::string &object);

} // namespace sartor::compiler

#endif
