// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_REQUEST_MEMORY_H
#define SARTOR_REMOTE_SERVER_REQUEST_MEMORY_H

#include <cstdint>
#include <memory>

#include "base/file_handle.h"
#include "base/mutex.h"

namespace sartor::remote {

/// Limits how much address space this process gets while it answers a request. Requests that are
/// answered at the same time share the sum of their limits. The limit of the process is never
/// exceeded. Thread-safe.
class RequestMemory {
public:
  /// Opens a file, so it must be created before the process is confined.
  RequestMemory();

  /// One request, as long as it exists.
  class Use {
  public:
    explicit Use(RequestMemory &memory) : memory_(memory) {}
    ~Use() { memory_.end(); }
    Use(const Use &) = delete;
    Use &operator=(const Use &) = delete;

  private:
    RequestMemory &memory_;
  };

  /// Begins a request that may take this many bytes.
  [[nodiscard]] std::unique_ptr<Use> begin(std::uint64_t bytes);

private:
  void end();
  [[nodiscard]] std::uint64_t used() const;

  const base::FileHandle statm_;
  base::Mutex mutex_;
  unsigned running_ SARTOR_GUARDED_BY(mutex_) = 0;
  std::uint64_t limit_ SARTOR_GUARDED_BY(mutex_) = 0;
};

} // namespace sartor::remote

#endif
