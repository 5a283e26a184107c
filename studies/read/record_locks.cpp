// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "record_locks.h"

#include <algorithm>
#include <mutex>

namespace files {

namespace {

void add(RecordLock *&list, const RecordLock &lock) {
  if (lock.begin < lock.end)
    list = new RecordLock{list, lock.owner, lock.begin, lock.end, lock.exclusive};
}

// Requires the inode's lock. Copies the list without the client's locks in [begin, end). Lists are
// not changed in place, so that only their heads are watched.
RecordLock *without(const Inode &inode, const Client &client, std::uint64_t begin,
                    std::uint64_t end) {
  RecordLock *list = nullptr;
  for (const RecordLock *lock = inode.locks; lock; lock = lock->next) {
    if (lock->owner != &client || !lock->overlaps(begin, end)) {
      add(list, *lock);
      continue;
    }
    add(list, {nullptr, lock->owner, lock->begin, std::min(lock->end, begin), lock->exclusive});
    add(list, {nullptr, lock->owner, std::max(lock->begin, end), lock->end, lock->exclusive});
  }
  return list;
}

// Requires the inode's lock.
void replace(Inode &inode, RecordLock *list) {
  RecordLock *old = inode.locks;
  inode.locks = list;
  while (old) {
    RecordLock *next = old->next;
    delete old;
    old = next;
  }
}

} // namespace

bool is_locked_by_others(const Inode &inode, const Client &client, std::uint64_t begin,
                         std::uint64_t end, bool exclusively) {
  for (const RecordLock *lock = inode.locks; lock; lock = lock->next)
    if (lock->owner != &client && (lock->exclusive || !exclusively) && lock->overlaps(begin, end))
      return true;
  return false;
}

void unlock_records(Inode &inode, const Client &client, std::uint64_t begin, std::uint64_t end) {
  const std::lock_guard lock(inode.lock);
  if (inode.locks)
    replace(inode, without(inode, client, begin, end));
}

bool lock_records(Inode &inode, const Client &client, std::uint64_t begin, std::uint64_t end,
                  bool exclusive) {
  const std::lock_guard lock(inode.lock);
  if (is_locked_by_others(inode, client, begin, end, /*exclusively=*/!exclusive))
    return false;
  RecordLock *list = without(inode, client, begin, end);
  add(list, {nullptr, &client, begin, end, exclusive});
  replace(inode, list);
  return true;
}

} // namespace files
