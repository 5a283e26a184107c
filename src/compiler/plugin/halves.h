// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Passes what the plugin's front-end half knows of a file to its LLVM half, and decides by it.
#ifndef SARTOR_COMPILER_PLUGIN_HALVES_H
#define SARTOR_COMPILER_PLUGIN_HALVES_H

#include <string>
#include <vector>

#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// True if a module, whose handlers have been named, contains code for variants: a handler, a point
/// or a function to fold; or if the file was compiled as a part of a handler module. The bitcode of
/// other files is not embedded.
bool holds_handler_code(const llvm::Module &module);

/// The front-end half sets this if SARTOR_POINTS is defined: the file is compiled as a part of a
/// handler module.
void set_in_handler_module(bool is_in);
bool is_in_handler_module();

/// The front-end half says that it takes part: it writes down signatures.
void set_front_end_takes_part();
bool front_end_takes_part();

/// The front-end half passes the options of its command line that add counters in passes after the
/// handlers' bitcode is embedded.
void set_counted_by_late_passes(std::vector<std::string> options);
const std::vector<std::string> &counted_by_late_passes();

/// The front-end half passes the words of its option `lines`. By default, both halves have the
/// debug information that clang was asked for. With `variants`, the native half has none: it was
/// asked for on behalf of variants. With `none`, the bitcode has none. Returns false for other
/// words.
bool take_lines_option(llvm::StringRef word);

/// Removes the debug information that the embedded bitcode shall not have, or that variants have no
/// use for: that of variables and types that no function refers to.
void choose_lines_of_bitcode(llvm::Module &bitcode);

/// Removes the debug information that the object file shall not have.
void choose_lines_of_native(llvm::Module &native);

} // namespace sartor::compiler

#endif
