// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_CLIENTS_FAIR_LRU_H
#define SARTOR_REMOTE_SERVER_CLIENTS_FAIR_LRU_H

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <list>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/hash.h"
#include "remote/server/clients/account.h"

namespace sartor::server {

/// Values by key. Where room is needed, the least recently used value of the account with the most
/// bytes is dropped, so that one client cannot displace what others use. Values that are in use are
/// not dropped.
template <class Value> class FairLru {
public:
  using Key = base::ContentKey;

  /// Returns null if there is none.
  std::shared_ptr<const Value> find(const Key &key) {
    const auto known = index_.find(key);
    if (known == index_.end())
      return nullptr;
    auto &[shelf, entry] = known->second;
    shelf->entries.splice(shelf->entries.begin(), shelf->entries, entry);
    return entry->value;
  }

  /// Inserts a value; replaces one with the same key.
  void insert(const Key &key, const Account &account, std::shared_ptr<const Value> value,
              std::size_t bytes) {
    erase(key);
    Shelf &shelf = shelves_[&account];
    shelf.entries.push_front({key, std::move(value), bytes});
    shelf.bytes += bytes;
    bytes_ += bytes;
    index_.emplace(key, Place{&shelf, shelf.entries.begin()});
  }

  /// Drops one value: of that account, or, if it is null, of the one with the most bytes. Returns
  /// false if all values are in use.
  bool drop_one(const Account *account) {
    std::vector<Shelf *> order;
    for (auto &[owner, shelf] : shelves_)
      if (!account || owner == account)
        order.push_back(&shelf);
    std::ranges::sort(order, std::ranges::greater(), &Shelf::bytes);
    return std::ranges::any_of(order, [this](Shelf *shelf) { return drop_one(*shelf); });
  }

  /// Removes the values that `is_meant` accepts, in use or not. Returns their keys.
  template <class IsMeant> std::vector<Key> erase_if(const IsMeant &is_meant) {
    std::vector<Key> keys;
    for (const auto &[account, shelf] : shelves_)
      for (const Entry &entry : shelf.entries)
        if (is_meant(entry.key, *account))
          keys.push_back(entry.key);
    for (const Key &key : keys)
      erase(key);
    return keys;
  }

  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// The number of values that drop_one() has dropped.
  [[nodiscard]] std::uint64_t dropped() const { return dropped_; }
  [[nodiscard]] std::size_t size() const { return index_.size(); }

private:
  struct Entry {
    Key key;
    std::shared_ptr<const Value> value;
    std::size_t bytes;
  };
  struct Shelf {
    std::list<Entry> entries; ///< The most recently used first.
    std::size_t bytes = 0;
  };
  struct Place {
    Shelf *shelf;
    std::list<Entry>::iterator entry;
  };
  struct Hash {
    std::size_t operator()(const Key &key) const {
      std::size_t hash = 0;
      std::memcpy(&hash, key.data(), sizeof hash);
      return hash;
    }
  };

  void erase(const Key &key) {
    const auto known = index_.find(key);
    if (known == index_.end())
      return;
    const auto [shelf, entry] = known->second;
    index_.erase(known);
    shelf->bytes -= entry->bytes;
    bytes_ -= entry->bytes;
    shelf->entries.erase(entry);
  }
  bool drop_one(Shelf &shelf) {
    for (auto entry = shelf.entries.rbegin(); entry != shelf.entries.rend(); ++entry)
      if (entry->value.use_count() == 1) {
        erase(Key(entry->key));
        ++dropped_;
        return true;
      }
    return false;
  }

  std::map<const Account *, Shelf> shelves_;
  std::unordered_map<Key, Place, Hash> index_;
  std::size_t bytes_ = 0;
  std::uint64_t dropped_ = 0;
};

} // namespace sartor::server

#endif
