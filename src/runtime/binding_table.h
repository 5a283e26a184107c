// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_BINDING_TABLE_H
#define SARTOR_RUNTIME_BINDING_TABLE_H

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "runtime/entries.h"

namespace sartor {

/// The entries of contexts with bound arguments, each with the number of its owners, and how many
/// each handler may have. The runtime's lock must be held: an entry is found, shared and requested
/// in one step.
class BindingTable {
public:
  /// Returns null if there is no such context; else a share for the caller.
  detail::BoundEntry *share(const std::string &key);
  /// Adds an entry with one share, for the caller. Its arguments must have been set.
  detail::BoundEntry &add(std::string key, std::unique_ptr<detail::BoundEntry> entry);
  /// The last share destroys the entry.
  void release(detail::BoundEntry &entry);

  [[nodiscard]] bool contains(const std::string &key) const { return entries_.contains(key); }
  [[nodiscard]] std::vector<detail::BoundEntry *> all() const;
  /// Enters all entries under new handlers and keys, which their members have.
  void rename_all();
  void clear() { entries_.clear(); }

  /// The maximum number of contexts that a handler may have at once, and the arguments that are
  /// dropped first when there are more; arguments that are not named are dropped before all others,
  /// the last one first.
  void limit(const std::string &handler, std::size_t most,
             std::vector<unsigned> least_selective_first);
  /// True if the handler can have another context.
  [[nodiscard]] bool has_room(const std::string &handler);
  /// Returns the argument to drop first.
  [[nodiscard]] unsigned least_selective(const std::string &handler,
                                         const std::map<unsigned, BoundArgument> &arguments);

private:
  /// Adds to the number of contexts of an entry's handler, if it is one with bound arguments.
  void count(const detail::BoundEntry &entry, int difference);

  struct Limit {
    std::size_t most = 1024;
    std::vector<unsigned> least_selective_first;
    std::size_t contexts = 0; ///< The current number of those with bound arguments.
  };

  std::map<std::string, std::unique_ptr<detail::BoundEntry>> entries_; ///< Keyed by context.
  std::map<std::string, Limit> limits_;                                ///< Keyed by handler.
};

} // namespace sartor

#endif
