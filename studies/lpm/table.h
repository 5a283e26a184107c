// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LPM_TABLE_H
#define LPM_TABLE_H

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "address.h"
#include "routes.h"

namespace lpm {

/// A slot of a hash table; free if `used` is zero.
template <class Address> struct Slot {
  Address prefix;
  std::uint32_t hop;
  std::uint32_t used;
};

/// All routes of one length: a hash table with open addressing and linear probing.
template <class Address> struct Level {
  Address mask;
  const Slot<Address> *slots;
  std::uint32_t slot_mask; ///< The number of slots, which is a power of two, minus one.
};

/// The data of the generic lookup: a hash table for each prefix length, the longest first. Plain
/// memory, so that it can be declared invariant; TableOwner fills and owns it.
template <class Address> struct Table {
  std::uint64_t levels_used;
  std::uint32_t default_hop;
  Level<Address> levels[bits<Address>];
};

using Table4 = Table<Address4>;
using Table6 = Table<Address6>;

/// FNV-1a over the bytes of the prefix, lowest first, as general-purpose libraries implement it.
template <class Address> constexpr std::uint32_t hash(Address prefix) {
  std::uint32_t value = 2'166'136'261;
  for (unsigned i = 0; i < sizeof(Address); ++i)
    value = (value ^ (static_cast<std::uint32_t>(prefix >> 8 * i) & 0xff)) * 16'777'619;
  return value;
}

/// Tries each prefix length in the set, from the longest to the shortest.
template <class Address>
[[gnu::always_inline]] inline std::uint32_t find(const Table<Address> *table, Address address) {
  for (std::uint64_t i = 0; i < table->levels_used; ++i) {
    const Level<Address> &level = table->levels[i];
    const Address prefix = address & level.mask;
    for (std::uint32_t at = hash(prefix) & level.slot_mask; level.slots[at].used != 0;
         at = (at + 1) & level.slot_mask)
      if (level.slots[at].prefix == prefix)
        return level.slots[at].hop;
  }
  return table->default_hop;
}

/// Builds a Table and owns its memory. Immutable. Does not move, because variants may depend on its
/// address.
template <class Address> class TableOwner {
public:
  explicit TableOwner(const RouteSet<Address> &set);
  TableOwner(const TableOwner &) = delete;
  TableOwner &operator=(const TableOwner &) = delete;

  [[nodiscard]] const Table<Address> *table() const { return &table_; }
  /// The slots of all hash tables, one after another.
  [[nodiscard]] std::span<const Slot<Address>> slots() const { return slots_; }

private:
  Table<Address> table_{};
  std::vector<Slot<Address>> slots_;
};

} // namespace lpm

#endif
