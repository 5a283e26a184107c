// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Calls that read, write, and move offsets.
#include <algorithm>
#include <cerrno>
#include <shared_mutex>
#include <vector>

#include "record_locks.h"
#include "service.h"

namespace files {

namespace {

/// Maximum number of bytes read atomically with respect to writers; longer reads are split.
constexpr std::size_t kAtOnce = BlockCache::kFewest / 4;
/// Number of blocks that are read ahead for sequential readers.
constexpr std::size_t kAhead = 16;
constexpr unsigned kRunning = 2;

/// A descriptor's file, which stays open as long as this object.
class Pinned {
public:
  explicit Pinned(Slot *slot) : slot_(slot) {
    if (!slot)
      return;
    __atomic_fetch_add(&slot->pins, 1, __ATOMIC_SEQ_CST);
    file_ = __atomic_load_n(&slot->file, __ATOMIC_SEQ_CST);
  }
  ~Pinned() {
    if (slot_)
      __atomic_fetch_sub(&slot_->pins, 1, __ATOMIC_RELEASE);
  }
  Pinned(const Pinned &) = delete;
  Pinned &operator=(const Pinned &) = delete;

  explicit operator bool() const { return file_ != nullptr; }
  File *operator->() const { return file_; }
  File &operator*() const { return *file_; }

private:
  Slot *slot_;
  File *file_ = nullptr;
};

/// Requires the file's lock. Moves the offset other than by reading. Repeated seeks change no
/// watched field.
void move_to(File &file, std::uint64_t offset) {
  if (offset == file.offset)
    return;
  if (!file.seeking)
    file.seeking = true;
  ++file.seeks;
  file.offset = offset;
  file.stream.end = 0;
  file.run = 0;
}

} // namespace

// Outside of handlers, waiting is allowed. Waits for the missing locks, or loads the missing blocks
// and keeps them cached, and tries again.
long FileService::read_slowly(Slot &slot, char *to, std::size_t bytes) {
  std::size_t done = 0;
  while (done < bytes) {
    std::unique_lock<std::mutex> held;
    const std::size_t part = std::min(bytes - done, kAtOnce << file_system_.mount().block_shift);
    long got = read_cached(&slot, to + done, part);
    if (got == kMissing) {
      const long error = bring_in(slot, part, held);
      got = error < 0 ? error : read_cached(&slot, to + done, part);
    }
    if (got == kBusy || got == kMissing) {
      held = {};
      wait_for_locks(slot);
      continue;
    }
    if (got < 0)
      return done > 0 ? static_cast<long>(done) : got;
    done += static_cast<std::size_t>(got);
    if (static_cast<std::size_t>(got) < part)
      break;
  }
  return static_cast<long>(done);
}

void FileService::wait_for_locks(Slot &slot) {
  const Pinned file(&slot);
  if (!file)
    return;
  const std::lock_guard lock(file->lock);
  const std::shared_lock shared(file->inode->lock);
}

long FileService::bring_in(Slot &slot, std::size_t bytes, std::unique_lock<std::mutex> &held) {
  std::vector<std::uint64_t> blocks;
  const Pinned file(&slot);
  if (!file)
    return -EBADF;
  {
    const std::lock_guard lock(file->lock);
    Inode &inode = *file->inode;
    const std::shared_lock shared(inode.lock);
    const unsigned shift = inode.mount->block_shift;
    const std::uint64_t first = file->offset >> shift;
    std::uint64_t end = ((file->offset + bytes - 1) >> shift) + 1;
    if (file->run >= kRunning)
      end += kAhead;
    end = std::min(end, ((inode.size - 1) >> shift) + 1);
    for (std::uint64_t block = first; block < end && inode.size > 0; ++block) {
      std::uint64_t physical = 0;
      if (const long error = file_system_.block_of(inode, block, physical); error < 0)
        return error;
      if (physical != 0)
        blocks.push_back(physical);
    }
  }
  return file_system_.cache().bring_in(blocks, held) ? 0 : -EIO;
}

long FileService::write(Client &client, int descriptor, const void *from, std::size_t bytes) {
  const Pinned file(slot_of(client, descriptor));
  if (!file || (file->mode & kWriting) == 0)
    return -EBADF;
  const std::lock_guard lock(file->lock);
  Inode &inode = *file->inode;
  const std::lock_guard alone(inode.lock);
  if (is_locked_by_others(inode, client, file->offset, file->offset + bytes,
                          /*exclusively=*/false))
    return -EAGAIN;
  const long written =
      file_system_.write(inode, file->offset, static_cast<const char *>(from), bytes);
  if (written > 0)
    move_to(*file, file->offset + static_cast<std::uint64_t>(written));
  return written;
}

long FileService::lseek(Client &client, int descriptor, std::int64_t offset, From from) {
  const Pinned file(slot_of(client, descriptor));
  if (!file)
    return -EBADF;
  const std::lock_guard lock(file->lock);
  std::int64_t base = 0;
  if (from == From::here)
    base = static_cast<std::int64_t>(file->offset);
  if (from == From::end) {
    const std::shared_lock shared(file->inode->lock);
    base = static_cast<std::int64_t>(file->inode->size);
  }
  constexpr std::int64_t kFurthest = std::int64_t{1} << 42U;
  if (base + offset < 0 || base + offset > kFurthest)
    return -EINVAL;
  move_to(*file, static_cast<std::uint64_t>(base + offset));
  return base + offset;
}

long FileService::truncate(const char *path, std::uint64_t size) {
  Inode *inode = nullptr;
  {
    const std::lock_guard lock(mutex_);
    if (const long error = open_inode(path, kWriting, inode); error < 0)
      return error;
  }
  long error = 0;
  {
    const std::lock_guard lock(inode->lock);
    error = file_system_.truncate(*inode, size);
  }
  const std::lock_guard lock(mutex_);
  leave_inode(*inode, kWriting);
  return error;
}

long FileService::lock(Client &client, int descriptor, std::uint64_t begin, std::uint64_t end,
                       RecordLocking how) {
  if (begin >= end)
    return -EINVAL;
  const Pinned file(slot_of(client, descriptor));
  if (!file)
    return -EBADF;
  if (how == RecordLocking::none)
    unlock_records(*file->inode, client, begin, end);
  else if (!lock_records(*file->inode, client, begin, end, how == RecordLocking::exclusive))
    return -EAGAIN;
  return 0;
}

} // namespace files
