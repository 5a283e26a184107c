// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef READ_TAILOR_H
#define READ_TAILOR_H

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <sartor/sartor.hpp>

#include "file_system.h"
#include "files.h"

namespace files {

/// Specializes read_cached() to descriptors that have been open for some time: declares
/// quasi-invariants about them, and makes bindings. All of this happens on a thread of its own,
/// which examines the tables periodically, so that opening a file costs nothing more. Thread-safe.
class Tailor {
public:
  /// `tables` is the lock that guards descriptors.
  Tailor(sartor::Runtime &runtime, FileSystem &file_system, std::mutex &tables,
         sartor::QuasiInvariantOptions options);
  ~Tailor(); ///< No clients may exist any more.
  Tailor(const Tailor &) = delete;
  Tailor &operator=(const Tailor &) = delete;

  void add(Client &client);
  /// No thread may use the client any more.
  void remove(Client &client);
  /// Keeps a file that is in no table any more until it has no quasi-invariants.
  void retire(std::unique_ptr<File> file);
  /// Files without quasi-invariants. If the caller frees them before it creates another one, that
  /// is likely to have the same address: a file that is opened again as before then finds existing
  /// code.
  std::vector<std::unique_ptr<File>> forgotten();

private:
  /// The state for one descriptor. The binding is kept, and gets new code for other
  /// quasi-invariants.
  struct Fitting {
    std::uint64_t opening = 0; ///< Slot::opening at the last examination.
    unsigned looks = 0;        ///< Number of examinations with the same value.
    unsigned seeks = 0;        ///< File::seeks at the last examination.
    std::list<sartor::QuasiInvariant> quasi_invariants;
    std::unique_ptr<Reader> reader;
  };

  void run(const std::stop_token &stop);
  void look_at(Slot &slot);
  const File *settle(Slot &slot, std::uint64_t opening);
  void see_whether_it_seeks(const Slot &slot, unsigned &seeks);
  void state_quasi_invariants(Fitting &fitting, const Slot &slot, const File &file);
  template <class Object, class... Fields>
  void state(std::list<sartor::QuasiInvariant> &quasi_invariants, const char *name,
             const Object &object, Fields... fields);

  sartor::Runtime &runtime_;
  std::mutex &tables_;
  const sartor::QuasiInvariantOptions options_;
  sartor::Invariant library_; ///< The library's data about the file system.
  std::list<sartor::QuasiInvariant> of_mount_;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::list<Client *> clients_;
  std::map<const Slot *, Fitting> fittings_;
  std::mutex retired_mutex_; ///< A mutex of its own, so that closing a file does not wait for
                             ///< quasi-invariants.
  std::vector<std::unique_ptr<File>> retired_;
  std::vector<std::unique_ptr<File>> forgotten_;
  std::atomic<bool> has_forgotten_ = false; ///< Avoids the lock if there is nothing to release.
  std::jthread thread_;
};

} // namespace files

#endif
