// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/jit/workshop.h"

#include <atomic>
#include <utility>

#include "runtime/jit/crew.h"

namespace sartor::runtime {

std::uint64_t next_request() {
  static std::atomic<std::uint64_t> last = 0;
  return ++last;
}

Workshop::Workshop(core::Tier tier, MakeWorker make_worker, std::chrono::milliseconds timeout)
    : crew_(Crew::instance()), client_(std::make_shared<Client>()) {
  client_->tier = tier;
  client_->make_worker = std::move(make_worker);
  if (timeout > std::chrono::milliseconds(0) && timeout <= std::chrono::hours(24 * 365))
    client_->timeout = timeout;
}

Workshop::~Workshop() { close(); }

void Workshop::close() { crew_.close(*client_); }

Result<void> Workshop::submit(Job job) { return crew_.submit(client_, std::move(job)); }

} // namespace sartor::runtime
