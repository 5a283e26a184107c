// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/assumptions/open_writes.h"

#include <algorithm>
#include <new>
#include <type_traits>
#include <utility>

#include <sys/mman.h>

#include "base/map_pages.h"

namespace sartor::runtime {

namespace {

constexpr std::size_t kPartBytes = 1U << 16;

} // namespace

// With another TLS model, the library's thread-local memory could be allocated by malloc() in a
// signal handler.
OpenWrites &OpenWrites::of_this_thread() {
  static_assert(std::is_trivially_destructible_v<OpenWrites>);
  [[gnu::tls_model("initial-exec")]] static thread_local constinit OpenWrites writes;
  if (!writes.part_) {
    writes.first_.writes = reinterpret_cast<Write *>(writes.in_place_);
    writes.first_.most = kInPlace;
    writes.part_ = &writes.first_;
  }
  return writes;
}

void OpenWrites::open(const QuasiInvariantState &quasi_invariant) {
  if (guards_ < kMostGuards)
    guarded_[guards_++] = &quasi_invariant;
}

void OpenWrites::close(const QuasiInvariantState &quasi_invariant) {
  for (std::size_t i = guards_; i-- > 0;)
    if (guarded_[i] == &quasi_invariant) {
      std::copy(guarded_ + i + 1, guarded_ + guards_, guarded_ + i);
      --guards_;
      return;
    }
}

bool OpenWrites::push(std::shared_ptr<QuasiInvariantState> quasi_invariant, Permission permission) {
  if (part_->count == part_->most && !grow())
    return false;
  new (part_->writes + part_->count) Write{std::move(quasi_invariant), permission};
  ++part_->count;
  return true;
}

OpenWrites::Write OpenWrites::pop() {
  --part_->count;
  Write *const last = part_->writes + part_->count;
  Write taken = std::move(*last);
  last->~Write();
  if (part_->count == 0 && part_->before) {
    Part *const empty = std::exchange(part_, part_->before);
    (void)munmap(empty, kPartBytes);
  }
  return taken;
}

bool OpenWrites::grow() {
  void *memory = base::map_pages(kPartBytes);
  if (!memory)
    return false;
  auto *const part = new (memory) Part;
  part->before = part_;
  part->writes = reinterpret_cast<Write *>(part + 1);
  part->most = (kPartBytes - sizeof(Part)) / sizeof(Write);
  part_ = part;
  return true;
}

} // namespace sartor::runtime
