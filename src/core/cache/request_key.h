// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_CACHE_REQUEST_KEY_H
#define SARTOR_CORE_CACHE_REQUEST_KEY_H

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>

#include <sartor/module.h>
#include <sartor/options.hpp>

#include "base/hash.h"
#include "core/request/context.h"
#include "core/space/module.h"

namespace sartor::core {

/// Identifies the compiler and the target processor of code.
struct Making {
  std::string processor; ///< See this_processor().
  /// Builds of everything that generates the code. Empty: one of them is unknown, so no key is
  /// valid.
  std::string builds;
};

/// The Making of code that is compiled here for this machine. The build of LLVM is found without
/// loading its library: in the directory of libsartor.so, or at its path when that was built.
const Making &made_here();

/// False if a toolchain with these builds (Toolchain::build) has another LLVM than made_here(): its
/// code has no key of this making. If there is no LLVM here, any LLVM will do.
bool has_llvm_of_here(const std::string &builds);

/// Identity of a handler module that consists of this bitcode: the same on every machine.
std::string identity_of(std::span<const std::string_view> bitcodes);

/// The bound arguments that are addresses, by index.
std::set<unsigned> address_arguments(const HandlerModule &module, const core::Context &context);

/// True if a handler is specialized to objects of the program: code made for similar objects may be
/// the same image.
bool is_of_objects(const HandlerModule &module, const core::Context &context);

/// The key in caches of the image that answers a request in the full tier, computed without the
/// compiler: a hash of the content of the handler module, everything that the handler is
/// specialized to, and the making. Nothing if the request is only meaningful in this process: with
/// objects, whose addresses are of this run; generators, which are code of the program; profiles;
/// pass plugins of the pipeline.
std::optional<base::ContentKey> request_key(const HandlerModule &module,
                                            const core::Context &context, const Pipeline &pipeline,
                                            const Making &making);

/// The same for the entry function of a handler (core/compiler/entry_symbols.h).
std::optional<base::ContentKey> entry_key(const HandlerModule &module, const std::string &handler,
                                          bool inlined, const Making &making);

/// The same for the checking stub of a handler (core/compiler/stored_stub.h).
std::optional<base::ContentKey> stub_key(const HandlerModule &module, const std::string &handler,
                                         const Making &making);

/// Everything that opening a program's modules depends on: HandlerModule::identity and
/// HandlerModule::replaced.
struct Opening {
  std::string identity;
  std::string replaced;
};

/// Reads all of their bitcode. Nothing if opening them depends on more than their content.
std::optional<Opening> opening_of(std::span<const sartor_module> modules);

/// The key in caches of the result of opening the modules (core/space/stored_module.h). Nothing if
/// a build is not known.
std::optional<base::ContentKey> opening_key(const Opening &opening, const Making &making);

} // namespace sartor::core

#endif
