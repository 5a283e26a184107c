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

/// Has read_cached() specialized to descriptors that have been open for a moment: states the facts
/// about them, and binds. All of that happens on a thread of its own, which looks at the tables
/// from time to time, so that nobody who opens a file does anything for it. Thread-safe.
class Tailor {
public:
  /// `tables` is the lock that descriptors change with.
  Tailor(sartor::Runtime &runtime, FileSystem &file_system, std::mutex &tables,
         sartor::QuasiInvariantOptions options);
  ~Tailor(); ///< There are no clients any more.
  Tailor(const Tailor &) = delete;
  Tailor &operator=(const Tailor &) = delete;

  void add(Client &client);
  /// Nobody uses the client any more.
  void remove(Client &client);
  /// Keeps a file that is in no table any more until there are no facts about it.
  void retire(std::unique_ptr<File> file);
  /// Files that there are no facts about any more. Who frees them before making another one is
  /// likely to have it in the same place: for what is open again, as before, there is code then.
  std::vector<std::unique_ptr<File>> forgotten();

private:
  /// What there is for one descriptor. The binding stays, and gets other code with other facts.
  struct Fitting {
    std::uint64_t opening = 0; ///< Slot::opening, when it was last looked at.
    unsigned looks = 0;        ///< How often it was the same.
    unsigned seeks = 0;        ///< File::seeks, when it was last looked at.
    std::list<sartor::QuasiInvariant> facts;
    std::unique_ptr<Reader> reader;
  };

  void run(const std::stop_token &stop);
  void look_at(Slot &slot);
  const File *settle(Slot &slot, std::uint64_t opening);
  void see_whether_it_seeks(const Slot &slot, unsigned &seeks);
  void state_facts(Fitting &fitting, const Slot &slot, const File &file);
  template <class Object, class... Fields>
  void state(std::list<sartor::QuasiInvariant> &facts, const char *name, const Object &object,
             Fields... fields);

  sartor::Runtime &runtime_;
  std::mutex &tables_;
  const sartor::QuasiInvariantOptions options_;
  sartor::Invariant library_; ///< What the library has found out about the file system.
  std::list<sartor::QuasiInvariant> of_mount_;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::list<Client *> clients_;
  std::map<const Slot *, Fitting> fittings_;
  std::mutex retired_mutex_; ///< Alone, so that nobody who closes a file waits for facts.
  std::vector<std::unique_ptr<File>> retired_;
  std::vector<std::unique_ptr<File>> forgotten_;
  std::atomic<bool> has_forgotten_ = false; ///< So that who asks seldom has to take the lock.
  std::jthread thread_;
};

} // namespace files

#endif
