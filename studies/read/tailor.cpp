// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tailor.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "read_cached.h"

namespace files {

namespace {

/// Period of examining the tables.
constexpr std::chrono::milliseconds kLook{5};
/// Number of examinations for which a file must have been open before reads are specialized; code
/// for short-lived files would be wasted.
constexpr unsigned kLooks = 20;

} // namespace

Tailor::Tailor(sartor::Runtime &runtime, FileSystem &file_system, std::mutex &tables,
               sartor::QuasiInvariantOptions options)
    : runtime_(runtime), tables_(tables), options_(std::move(options)) {
  library_.add(&file_system.reading(), sizeof(struct_ext2_filsys));
  library_.add(&file_system.reading_channel(), sizeof(struct_io_channel));
  library_.add(&reading_manager, sizeof reading_manager);
  const Mount &mount = file_system.mount();
  state(of_mount_, "constants", mount, &Mount::cache, &Mount::block_shift, &Mount::noatime,
        &Mount::reading);
  of_mount_.back().add_fields(*mount.cache, &Cache::buckets, &Cache::bucket_bits);
  state(of_mount_, "no replacement", *mount.cache, &Cache::replacing);
  thread_ = std::jthread([this](const std::stop_token &stop) { run(stop); });
}

Tailor::~Tailor() {
  thread_.request_stop();
  thread_.join();
}

template <class Object, class... Fields>
void Tailor::state(std::list<sartor::QuasiInvariant> &quasi_invariants, const char *name,
                   const Object &object, Fields... fields) {
  quasi_invariants.emplace_back(name, options_).add_fields(object, fields...);
}

void Tailor::add(Client &client) {
  const std::lock_guard lock(mutex_);
  clients_.push_back(&client);
}

void Tailor::remove(Client &client) {
  const std::lock_guard lock(mutex_);
  clients_.remove(&client);
  for (const Slot &slot : client.slots)
    fittings_.erase(&slot);
}

void Tailor::retire(std::unique_ptr<File> file) {
  const std::lock_guard lock(retired_mutex_);
  retired_.push_back(std::move(file));
}

std::vector<std::unique_ptr<File>> Tailor::forgotten() {
  if (!has_forgotten_.load(std::memory_order_relaxed))
    return {};
  const std::lock_guard lock(retired_mutex_);
  has_forgotten_ = false;
  return std::exchange(forgotten_, {});
}

void Tailor::run(const std::stop_token &stop) {
  std::unique_lock lock(mutex_);
  while (!changed_.wait_for(lock, stop, kLook, [] { return false; }) && !stop.stop_requested()) {
    // Files that have left the tables: the following examination cannot find them.
    std::vector<std::unique_ptr<File>> closed;
    {
      const std::lock_guard retired(retired_mutex_);
      closed.swap(retired_);
    }
    for (Client *client : clients_)
      for (Slot &slot : client->slots)
        look_at(slot);
    const std::lock_guard retired(retired_mutex_);
    std::ranges::move(closed, std::back_inserter(forgotten_));
    has_forgotten_ = !forgotten_.empty();
  }
}

void Tailor::look_at(Slot &slot) {
  const std::uint64_t opening = __atomic_load_n(&slot.opening, __ATOMIC_ACQUIRE);
  if (opening == 0)
    return; // was never used
  Fitting &fitting = fittings_[&slot];
  if (fitting.opening != opening) {
    fitting.quasi_invariants.clear();
    fitting.opening = opening;
    fitting.looks = 0;
    return;
  }
  see_whether_it_seeks(slot, fitting.seeks);
  if (++fitting.looks < kLooks || !fitting.quasi_invariants.empty())
    return;
  const File *file = settle(slot, opening);
  if (!file)
    return;
  state_quasi_invariants(fitting, slot, *file);
  if (fitting.reader)
    return;
  fitting.reader =
      std::make_unique<Reader>(runtime_.bind<&read_cached>(&slot, sartor::_, sartor::_));
  slot.reader.store(fitting.reader.get(), std::memory_order_release);
}

// A file without seeks since the last examination is treated as sequential until the next seek.
void Tailor::see_whether_it_seeks(const Slot &slot, unsigned &seeks) {
  const std::lock_guard lock(tables_);
  if (!slot.settled)
    return;
  File &file = *slot.settled;
  const std::lock_guard its(file.lock);
  if (file.seeking && file.seeks == seeks)
    file.seeking = false;
  seeks = file.seeks;
}

// Null if the descriptor is closed or refers to another file by now. Files closed from now on are
// released after this examination.
const File *Tailor::settle(Slot &slot, std::uint64_t opening) {
  const std::lock_guard lock(tables_);
  if (!slot.file || slot.opening != opening)
    return nullptr;
  slot.file->settled = true;
  slot.settled = slot.file;
  return slot.file;
}

void Tailor::state_quasi_invariants(Fitting &fitting, const Slot &slot, const File &file) {
  const Inode &inode = *file.inode;
  auto &quasi_invariants = fitting.quasi_invariants;
  state(quasi_invariants, "open", slot, &Slot::settled);
  quasi_invariants.back().add_fields(file, &File::inode, &File::mode, &File::kept);
  quasi_invariants.back().add_fields(inode, &Inode::mount);
  state(quasi_invariants, "no sharing of the offset", slot, &Slot::client);
  quasi_invariants.back().add_fields(*slot.client, &Client::threaded);
  quasi_invariants.back().add_fields(file, &File::shared);
  state(quasi_invariants, "no sharing of the inode", inode, &Inode::shared);
  state(quasi_invariants, "no locks", inode, &Inode::locks);
  state(quasi_invariants, "no holes", inode, &Inode::sparse);
  state(quasi_invariants, "read only", inode, &Inode::writable, &Inode::size, &Inode::disk);
  state(quasi_invariants, "sequential", file, &File::seeking);
}

} // namespace files
