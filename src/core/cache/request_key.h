// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_CACHE_REQUEST_KEY_H
#define SARTOR_CORE_CACHE_REQUEST_KEY_H

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include <sartor/module.h>
#include <sartor/options.hpp>

#include "base/hash.h"
#include "core/request/context.h"
#include "core/space/module.h"

namespace sartor::core {

/// By whom code is made, and for which processor.
struct Making {
  std::string processor; ///< As this_processor() says it.
  /// Of all whose work is in the code. Empty: of one of them it is not known, and no key is good.
  std::string builds;
};

/// What is made here, for here. Of LLVM, it has the build where its library is found without being
/// loaded: beside libsartor.so, or where it was when that was built.
const Making &made_here();

/// Of a handler module that is linked of these: the same on every machine.
std::string identity_of(std::span<const std::string_view> bitcodes);

/// Whether objects of the program's are what a handler is specialized to: what is made of others
/// that are alike may be the same image.
bool is_of_objects(const HandlerModule &module, const core::Context &context);

/// By which stores know the image that answers a request in the full tier, without the compiler: a
/// hash of what the handler module is made of, all that the handler is specialized to, and the
/// making. Nothing where the request means something in this process alone: with objects, whose
/// addresses are of this run; generators, which are code of the program's; profiles; plugins of the
/// pipeline's.
std::optional<base::ContentKey> request_key(const HandlerModule &module,
                                            const core::Context &context, const Pipeline &pipeline,
                                            const Making &making);

/// The same of the function of a handler's type that its callers keep
/// (core/compiler/entry_symbols.h).
std::optional<base::ContentKey> entry_key(const HandlerModule &module, const std::string &handler,
                                          bool inlined, const Making &making);

/// What opening a program's modules hangs on: HandlerModule::identity and HandlerModule::replaced.
struct Opening {
  std::string identity;
  std::string replaced;
};

/// Reads all of their bitcode. Nothing where opening them hangs on more than what they contain.
std::optional<Opening> opening_of(std::span<const sartor_module> modules);

/// By which stores know what opening the modules comes to (core/space/stored_module.h). Nothing
/// where a build is not known.
std::optional<base::ContentKey> opening_key(const Opening &opening, const Making &making);

} // namespace sartor::core

#endif
