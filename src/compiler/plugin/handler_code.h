// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_COMPILER_PLUGIN_HANDLER_CODE_H
#define SARTOR_COMPILER_PLUGIN_HANDLER_CODE_H

#include <string>
#include <vector>

#include <llvm/IR/Module.h>

namespace sartor::compiler {

/// Whether a module whose handlers have been named has anything that a variant may be made of: a
/// handler, a point, a function to fold, or all of it, if the file was given as a part of a handler
/// module. Other files have no bitcode worth embedding.
bool holds_handler_code(const llvm::Module &module);

/// The front end says whether what is being compiled was given so: SARTOR_POINTS is defined.
void set_in_handler_module(bool is_in);
bool is_in_handler_module();

/// The front end says which options of its command line have counters added by passes that come
/// after the handlers' bitcode is embedded.
void set_counted_by_late_passes(std::vector<std::string> options);
const std::vector<std::string> &counted_by_late_passes();

} // namespace sartor::compiler

#endif
