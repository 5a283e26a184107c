// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Descriptors. Stores to watched fields wait for handlers, so this may hold locks, which handlers
// try and do not wait for.
#include "service.h"

#include <cerrno>

#include "record_locks.h"

namespace files {

FileService::FileService(const std::filesystem::path &image, std::size_t buffers)
    : file_system_(image, buffers) {}

FileService::FileService(const std::filesystem::path &image, std::size_t buffers,
                         sartor::Runtime &runtime, sartor::QuasiInvariantOptions facts)
    : file_system_(image, buffers),
      tailor_(std::make_unique<Tailor>(runtime, file_system_, std::move(facts))) {}

FileService::~FileService() {
  while (!clients_.empty())
    end(*clients_.front());
}

Client &FileService::add_client() {
  const std::lock_guard lock(mutex_);
  Client &client = *clients_.emplace_back(std::make_unique<Client>());
  for (Slot &slot : client.slots)
    slot.client = &client;
  if (tailor_)
    tailor_->add(client);
  return client;
}

Client &FileService::fork(const Client &parent) {
  Client &child = add_client();
  const std::lock_guard lock(mutex_);
  for (unsigned i = 0; i < kSlots; ++i) {
    File *file = parent.slots[i].file;
    if (!file)
      continue;
    ++file->references;
    ++child.slots[i].opening;
    __atomic_store_n(&child.slots[i].file, file, __ATOMIC_SEQ_CST);
  }
  return child;
}

void FileService::end(Client &client) {
  const std::lock_guard lock(mutex_);
  for (Slot &slot : client.slots)
    if (slot.file)
      close_slot(slot);
  if (tailor_)
    tailor_->remove(client);
  clients_.remove_if([&](const auto &one) { return one.get() == &client; });
}

void FileService::attach(Client &client) {
  const std::lock_guard lock(mutex_);
  ++client.threads;
}

void FileService::detach(Client &client) {
  const std::lock_guard lock(mutex_);
  --client.threads;
}

Slot *FileService::slot_of(Client &client, int descriptor) {
  return static_cast<unsigned>(descriptor) < kSlots ? &client.slots[descriptor] : nullptr;
}

// The lowest descriptor that is free, as ever.
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
  ++inode->opens;
  if ((mode & kWriting) != 0)
    ++inode->writers;
  return 0;
}

void FileService::leave_inode(Inode &inode, unsigned mode) {
  --inode.opens;
  if ((mode & kWriting) != 0)
    --inode.writers;
}

long FileService::open(Client &client, const char *path, unsigned mode) {
  if (mode == 0 || (mode & ~(kReading | kWriting)) != 0)
    return -EINVAL;
  const std::lock_guard lock(mutex_);
  Inode *inode = nullptr;
  if (const long error = open_inode(path, mode, inode); error < 0)
    return error;
  auto file = std::make_unique<File>(*inode, mode);
  const long descriptor = place(client, *file);
  if (descriptor < 0)
    leave_inode(*inode, mode);
  else
    (void)file.release();
  return descriptor;
}

long FileService::dup(Client &client, int descriptor) {
  const std::lock_guard lock(mutex_);
  const Slot *slot = slot_of(client, descriptor);
  if (!slot || !slot->file)
    return -EBADF;
  File &file = *slot->file;
  ++file.references; // before anybody finds it elsewhere
  const long second = place(client, file);
  if (second < 0)
    --file.references;
  return second;
}

long FileService::close(Client &client, int descriptor) {
  const std::lock_guard lock(mutex_);
  Slot *slot = slot_of(client, descriptor);
  return slot && slot->file ? close_slot(*slot) : -EBADF;
}

// With the lock.
long FileService::close_slot(Slot &slot) {
  File *file = slot.file;
  __atomic_store_n(&slot.file, nullptr, __ATOMIC_SEQ_CST);
  __atomic_fetch_add(&slot.opening, 1, __ATOMIC_RELEASE);
  while (__atomic_load_n(&slot.pins, __ATOMIC_SEQ_CST) != 0)
    sched_yield();
  unlock_records(*file->inode, *slot.client, 0, ~std::uint64_t{0});
  if (--file->references > 0)
    return 0;
  leave_inode(*file->inode, file->mode);
  if (tailor_)
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

long FileService::facts_in_force(Client &client, int descriptor) {
  Slot *slot = slot_of(client, descriptor);
  const Reader *reader = slot ? slot->reader.load(std::memory_order_acquire) : nullptr;
  return reader ? (*reader)(&which_facts, kMostBytes) : 0;
}

} // namespace files
