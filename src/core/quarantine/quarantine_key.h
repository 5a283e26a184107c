// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_CORE_QUARANTINE_QUARANTINE_KEY_H
#define SARTOR_CORE_QUARANTINE_QUARANTINE_KEY_H

#include <string>

#include "base/hash.h"
#include "core/cache/request_key.h"

namespace sartor::core {

/// Identifies the code of a variant for all processes of a machine, with the build of the compiler:
/// another build makes other code, so it has other keys.
struct QuarantineKey {
  base::ContentKey hash{};
  /// The same for all requests with the handler's module, handler, configuration and passes, unless
  /// caches know them by a key; then it equals `hash`.
  base::ContentKey family{};
  std::string handler;
  std::string configuration; ///< JSON.
  std::string build;         ///< Of Sartor, its mathematics library and LLVM.
  std::string processor;

  bool operator==(const QuarantineKey &) const = default;
};

/// The key of a request. It is that of the caches (request_key()) where there is one. A request
/// that depends on objects, whose addresses are of one run, has no such key: then the content of
/// the objects is part of `hash`. Reads them, if nothing has yet. Where profiles, generators or
/// plugins make the difference, requests share a key. Both tiers of a request have the same key.
QuarantineKey quarantine_key(const HandlerModule &module, const Context &context,
                             const Pipeline &pipeline, const Making &making);

} // namespace sartor::core

#endif
