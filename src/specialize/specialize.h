// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_SPECIALIZE_SPECIALIZE_H
#define SARTOR_SPECIALIZE_SPECIALIZE_H

#include <memory>
#include <string>

#include <llvm/IR/Module.h>

#include <sartor/configuration.hpp>
#include <sartor/space.hpp>

#include "observe/result.h"

namespace sartor::specialize {

/// The symbol of the array of i64 in which guards count their failures, indexed by the place of
/// their label in the space.
constexpr const char *kFailureCounters = "sartor.guard_failures";

/// Specializes one handler of a prepared module whose space is `space`: makes IR, not optimised
/// yet, in which the handler's function is called `symbol`. `configuration` has been checked
/// against the space and fitted to the points' types; labels that the handler cannot reach are
/// ignored. `prepared` is left as it is. Fails with unknown_handler, too_many_bodies.
Result<std::unique_ptr<llvm::Module>> specialize(llvm::Module &prepared, const Space &space,
                                                 const std::string &handler,
                                                 const Configuration &configuration,
                                                 const std::string &symbol);

/// The function of that handler in a prepared module, or null.
llvm::Function *find_handler(llvm::Module &prepared, const std::string &handler);

} // namespace sartor::specialize

#endif
