// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef READ_SERVICE_H
#define READ_SERVICE_H

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <list>
#include <memory>
#include <mutex>
#include <vector>

#include "file_system.h"
#include "files.h"
#include "read_cached.h"
#include "tailor.h"

namespace files {

enum class RecordLocking { none, shared, exclusive };
enum class From { beginning, here, end };

/// Files by descriptors for several clients, as in a kernel. Results are those of the POSIX calls
/// with these names; errors are negative errno. Thread-safe; for several threads of one client, see
/// attach().
class FileService {
public:
  /// Throws std::runtime_error. With a Tailor's options, `runtime` specializes reads.
  FileService(const std::filesystem::path &image, std::size_t buffers);
  FileService(const std::filesystem::path &image, std::size_t buffers, sartor::Runtime &runtime,
              sartor::QuasiInvariantOptions quasi_invariants);
  ~FileService(); ///< Writes all back. No thread may use it or its clients any more.
  FileService(const FileService &) = delete;
  FileService &operator=(const FileService &) = delete;

  Client &add_client();
  /// Makes a client with the same open files and shared offsets.
  Client &fork(const Client &parent);
  /// Closes the client's files. No thread may use it any more.
  void end(Client &client);
  /// Must be called before another thread uses the client; detach() when it no longer does.
  void attach(Client &client);
  void detach(Client &client);

  long open(Client &client, const char *path, unsigned mode);
  long close(Client &client, int descriptor);
  long dup(Client &client, int descriptor);
  long read(Client &client, int descriptor, void *to, std::size_t bytes);
  long write(Client &client, int descriptor, const void *from, std::size_t bytes);
  long lseek(Client &client, int descriptor, std::int64_t offset, From from);
  long truncate(const char *path, std::uint64_t size);
  /// Locks a part of a file, [begin, end); fails with EAGAIN if another client's lock conflicts.
  /// Reads and writes respect locks.
  long lock(Client &client, int descriptor, std::uint64_t begin, std::uint64_t end,
            RecordLocking how);

  void remount(bool noatime);
  void set_time(std::uint32_t seconds);
  /// The quasi-invariants that a descriptor's active code depends on: a set of `Fact`.
  static long active_quasi_invariants(Client &client, int descriptor);
  [[nodiscard]] FileSystem &file_system() { return file_system_; }

private:
  static Slot *slot_of(Client &client, int descriptor);
  long read_slowly(Slot &slot, char *to, std::size_t bytes);
  static void wait_for_locks(Slot &slot);
  long bring_in(Slot &slot, std::size_t bytes, std::unique_lock<std::mutex> &held);
  long place(Client &client, File &file);
  long open_inode(const char *path, unsigned mode, Inode *&inode);
  void leave_inode(Inode &inode, unsigned mode);
  long close_slot(Slot &slot);
  static void count_reference(File &file, int more);
  KeptBlock &take_kept();
  void leave(File &file);

  FileSystem file_system_;
  std::mutex mutex_;               ///< Guards clients, tables, counters, and the map of inodes.
  std::unique_ptr<Tailor> tailor_; ///< Null: all reads are generic.
  std::list<std::unique_ptr<Client>> clients_;
  std::vector<std::unique_ptr<KeptBlock>> spare_; ///< From closed files, for reuse.
};

// Inline, as function calls in a library are cheap enough for another one to matter.
inline long FileService::read(Client &client, int descriptor, void *to, std::size_t bytes) {
  if (static_cast<unsigned>(descriptor) >= kSlots)
    return -EBADF;
  Slot &slot = client.slots[descriptor];
  bytes = std::min(bytes, kMostBytes);
  const Reader *reader = slot.reader.load(std::memory_order_acquire);
  const long got = reader ? (*reader)(to, bytes) : read_cached(&slot, to, bytes);
  if (got > kMissing) [[likely]]
    return got;
  return read_slowly(slot, static_cast<char *>(to), bytes);
}

} // namespace files

#endif
