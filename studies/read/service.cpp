// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations on descriptors. Stores to watched fields wait for handlers. They may hold locks
// meanwhile, as handlers only try locks and do not wait.
#include "service.h"

#include <cerrno>

#include "record_locks.h"

namespace files {

FileService::FileService(const std::filesystem::path &image, std::size_t buffers)
    : file_system_(image, buffers) {}

FileService::FileService(const std::filesystem::path &image, std::size_t buffers,
                         sartor::Runtime &runtime, sartor::QuasiInvariantOptions quasi_invariants)
    : file_system_(image, buffers), tailor_(std::make_unique<Tailor>(runtime, file_system_, mutex_,
                                                                     std::move(quasi_invariants))) {
}

FileService::~FileService() {
  while (!clients_.empty())
    end(*clients_.front());
}

// The tailor is called without the lock, since it takes the lock itself.
Client &FileService::add_client() {
  auto made = std::make_unique<Client>();
  Client &client = *made;
  for (Slot &slot : client.slots)
    slot.client = &client;
  if (tailor_)
    tailor_->add(client);
  const std::lock_guard lock(mutex_);
  clients_.push_back(std::move(made));
  return client;
}

Client &FileService::fork(const Client &parent) {
  Client &child = add_client();
  const std::lock_guard lock(mutex_);
  for (unsigned i = 0; i < kSlots; ++i) {
    File *file = parent.slots[i].file;
    if (!file)
      continue;
    count_reference(*file, 1);
    __atomic_fetch_add(&child.slots[i].opening, 1, __ATOMIC_RELEASE);
    __atomic_store_n(&child.slots[i].file, file, __ATOMIC_SEQ_CST);
  }
  return child;
}

void FileService::end(Client &client) {
  {
    const std::lock_guard lock(mutex_);
    for (Slot &slot : client.slots)
      if (slot.file)
        close_slot(slot);
  }
  if (tailor_)
    tailor_->remove(client);
  const std::lock_guard lock(mutex_);
  clients_.remove_if([&](const auto &one) { return one.get() == &client; });
}

void FileService::attach(Client &client) {
  const std::lock_guard lock(mutex_);
  if (++client.threads == 2)
    client.threaded = true;
}

void FileService::detach(Client &client) {
  const std::lock_guard lock(mutex_);
  if (--client.threads == 1)
    client.threaded = false;
}

// Requires the lock. Marks the file as shared before another table refers to it.
void FileService::count_reference(File &file, int more) {
  const bool was_shared = file.shared;
  file.references += static_cast<unsigned>(more);
  if (const bool shared = file.references > 1; shared != was_shared)
    file.shared = shared;
}

Slot *FileService::slot_of(Client &client, int descriptor) {
  return static_cast<unsigned>(descriptor) < kSlots ? &client.slots[descriptor] : nullptr;
}

// Uses the lowest free descriptor, as POSIX requires.
long FileService::place(Client &client, File &file) {
  for (Slot &slot : client.slots) {
    if (slot.file)
      continue;
    __atomic_fetch_add(&slot.opening, 1, __ATOMIC_RELEASE);
    __atomic_store_n(&slot.file, &file, __ATOMIC_SEQ_CST);
    return &slot - client.slots;
  }
  return -EMFILE;
}

long FileService::open_inode(const char *path, unsigned mode, Inode *&inode) {
  const long number = file_system_.find(path);
  if (number < 0)
    return number;
  inode = file_system_.inode(static_cast<unsigned>(number));
  if (!inode)
    return -EISDIR;
  if (++inode->opens == 2)
    inode->shared = true;
  if ((mode & kWriting) != 0 && ++inode->writers == 1)
    inode->writable = true;
  return 0;
}

void FileService::leave_inode(Inode &inode, unsigned mode) {
  if (--inode.opens == 1)
    inode.shared = false;
  if ((mode & kWriting) != 0 && --inode.writers == 0)
    inode.writable = false;
}

KeptBlock &FileService::take_kept() {
  if (spare_.empty())
    return *std::make_unique_for_overwrite<KeptBlock>().release();
  KeptBlock &kept = *spare_.back().release();
  spare_.pop_back();
  kept.block = 0;
  return kept;
}

long FileService::open(Client &client, const char *path, unsigned mode) {
  if (mode == 0 || (mode & ~(kReading | kWriting)) != 0)
    return -EINVAL;
  const std::lock_guard lock(mutex_);
  Inode *inode = nullptr;
  if (const long error = open_inode(path, mode, inode); error < 0)
    return error;
  if (tailor_)
    tailor_->forgotten().clear();
  auto file = std::make_unique<File>(*inode, mode, take_kept());
  const long descriptor = place(client, *file);
  if (descriptor >= 0)
    (void)file.release();
  else
    leave(*file);
  return descriptor;
}

long FileService::dup(Client &client, int descriptor) {
  const std::lock_guard lock(mutex_);
  const Slot *slot = slot_of(client, descriptor);
  if (!slot || !slot->file)
    return -EBADF;
  File &file = *slot->file;
  count_reference(file, 1);
  const long second = place(client, file);
  if (second < 0)
    count_reference(file, -1);
  return second;
}

long FileService::close(Client &client, int descriptor) {
  const std::lock_guard lock(mutex_);
  Slot *slot = slot_of(client, descriptor);
  return slot && slot->file ? close_slot(*slot) : -EBADF;
}

void FileService::leave(File &file) {
  leave_inode(*file.inode, file.mode);
  spare_.emplace_back(file.kept);
}

// Requires the lock.
long FileService::close_slot(Slot &slot) {
  File *file = slot.file;
  if (slot.settled)
    slot.settled = nullptr;
  __atomic_store_n(&slot.file, nullptr, __ATOMIC_SEQ_CST);
  __atomic_fetch_add(&slot.opening, 1, __ATOMIC_RELEASE);
  while (__atomic_load_n(&slot.pins, __ATOMIC_SEQ_CST) != 0)
    sched_yield();
  unlock_records(*file->inode, *slot.client, 0, ~std::uint64_t{0});
  count_reference(*file, -1);
  if (file->references > 0)
    return 0;
  leave(*file);
  if (file->settled)
    tailor_->retire(std::unique_ptr<File>(file));
  else
    delete file;
  return 0;
}

void FileService::remount(bool noatime) {
  const std::lock_guard lock(mutex_);
  __atomic_store_n(&file_system_.mount().noatime, noatime, __ATOMIC_RELAXED);
}

void FileService::set_time(std::uint32_t seconds) {
  __atomic_store_n(&file_system_.mount().now, seconds, __ATOMIC_RELAXED);
}

long FileService::active_quasi_invariants(Client &client, int descriptor) {
  Slot *slot = slot_of(client, descriptor);
  const Reader *reader = slot ? slot->reader.load(std::memory_order_acquire) : nullptr;
  return reader ? (*reader)(&which_quasi_invariants, kMostBytes) : 0;
}

} // namespace files
