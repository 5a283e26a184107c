// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_JIT_NEAR_MEMORY_H
#define SARTOR_JIT_NEAR_MEMORY_H

#include <map>
#include <mutex>

#include <llvm/ExecutionEngine/Orc/MemoryMapper.h>

namespace sartor::jit {

/// So many bytes, rounded up to whole pages.
std::size_t in_pages(std::size_t bytes);

/// Memory for code within reach of the program's own text, so that calls and references between
/// the two are direct; wherever there is room where that is impossible. Never writable and
/// executable at once. Pages that are no longer used go back to the system. Thread-safe.
class NearMemory final : public llvm::orc::MemoryMapper {
public:
  /// `anchor` is an address in the program's text.
  explicit NearMemory(const void *anchor) : anchor_(anchor) {}
  ~NearMemory() override;

  unsigned int getPageSize() override;
  /// Throws std::bad_alloc.
  void reserve(size_t bytes, OnReservedFunction done) override;
  char *prepare(llvm::jitlink::LinkGraph &graph, llvm::orc::ExecutorAddr address,
                size_t bytes) override;
  void initialize(AllocInfo &allocation, OnInitializedFunction done) override;
  void deinitialize(llvm::ArrayRef<llvm::orc::ExecutorAddr> allocations,
                    OnDeinitializedFunction done) override;
  void release(llvm::ArrayRef<llvm::orc::ExecutorAddr> reservations,
               OnReleasedFunction done) override;

private:
  struct Allocation {
    size_t bytes;
    std::vector<llvm::orc::shared::WrapperFunctionCall> on_release;
  };

  const void *anchor_;
  std::mutex mutex_;
  std::map<llvm::orc::ExecutorAddr, Allocation> allocations_;
  std::map<llvm::orc::ExecutorAddr, size_t> reservations_;
};

} // namespace sartor::jit

#endif
