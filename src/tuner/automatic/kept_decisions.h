// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TUNER_AUTOMATIC_KEPT_DECISIONS_H
#define SARTOR_TUNER_AUTOMATIC_KEPT_DECISIONS_H

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include <sartor/configuration.hpp>
#include <sartor/space.hpp>

#include "base/hash.h"
#include "base/result.h"
#include "core/cache/disk_cache.h"

namespace sartor {

/// What was decided about an automatic handler. The configurations have its own settings only.
struct KeptDecision {
  Configuration tried;   ///< The first of the candidates.
  Configuration best;    ///< Empty: the generic code.
  std::int64_t made = 0; ///< Seconds since 1970.

  /// False if it is old, or not from the past: then the handler must be explored again.
  [[nodiscard]] bool is_fresh(std::int64_t now) const;
};

/// The decisions about the automatic handlers of a program in a disk cache, for its next starts.
/// Each has an entry of its own, which is replaced as a whole; that of another process may do so,
/// too. The cache checks whom files belong to, reports damaged ones, and limits their size.
class KeptDecisions {
public:
  /// Without a cache, nothing is kept. `content` identifies the handler modules and the processor
  /// (Runtime::content()): decisions about others are not found, nor those of another compiler.
  KeptDecisions(std::shared_ptr<core::DiskCache> cache, std::string content)
      : cache_(std::move(cache)), content_(std::move(content)) {}

  /// Nothing if there is none. Fails with bad_json if it is not one about this handler of `space`.
  [[nodiscard]] Result<std::optional<KeptDecision>> find(const std::string &handler,
                                                         const Space &space) const;
  /// A very long one is not kept.
  void keep(const std::string &handler, const KeptDecision &decision) const;
  void drop(const std::string &handler) const;

private:
  /// Nothing if nothing can be kept.
  [[nodiscard]] std::optional<base::ContentKey> key_of(const std::string &handler) const;

  std::shared_ptr<core::DiskCache> cache_;
  std::string content_;
};

} // namespace sartor

#endif
