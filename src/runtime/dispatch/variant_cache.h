// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_DISPATCH_VARIANT_CACHE_H
#define SARTOR_RUNTIME_DISPATCH_VARIANT_CACHE_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/dispatch/alternatives.h"
#include "runtime/dispatch/variant.h"

namespace sartor::runtime {

/// Variants that are kept for reactivation; the least recently used is dropped first. Not
/// thread-safe.
class VariantCache {
public:
  /// Holds variants that take up to `capacity` bytes of memory (resident_bytes()); the newest stays
  /// even if it alone takes more.
  explicit VariantCache(std::size_t capacity) : capacity_(capacity) {}
  ~VariantCache();
  VariantCache(const VariantCache &) = delete;
  VariantCache &operator=(const VariantCache &) = delete;

  /// Returns null if there is none.
  VariantRef find(const std::string &key);
  /// `kind` is common to variants that can replace each other. `invariants` are those that the key
  /// names, sorted; the variant depends on some of them.
  void insert(const std::string &key, const std::string &kind, VariantRef variant,
              std::vector<std::uint64_t> invariants = {});
  /// Returns all variants of a kind; null if there is none.
  [[nodiscard]] const Alternatives *of_kind(const std::string &kind) const;
  void for_each(const std::function<void(const Variant &)> &visit) const;
  void drop_if(const std::function<bool(const Variant &)> &unwanted);
  /// Drops variants whose key contains the invariant's number. Such a key is never looked up again.
  void drop_invariant(std::uint64_t invariant);

private:
  struct Slot {
    std::string key;
    std::string kind;
    VariantRef variant;
    std::vector<std::uint64_t> invariants;
  };

  void drop(std::list<Slot>::iterator slot);

  const std::size_t capacity_;
  std::size_t bytes_ = 0;
  std::list<Slot> slots_; ///< The most recently used first.
  std::unordered_map<std::string, std::list<Slot>::iterator> index_;
  std::unordered_map<std::string, Alternatives> by_kind_;
  std::map<std::pair<std::uint64_t, const Slot *>, std::list<Slot>::iterator> by_invariant_;
};

} // namespace sartor::runtime

#endif
