// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_JIT_JOB_QUEUE_H
#define SARTOR_RUNTIME_JIT_JOB_QUEUE_H

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/jit/workshop.h"

namespace sartor::runtime {

/// Jobs that wait, of all runtimes. Who asks now wants to know now, so requests come newest first,
/// but none is passed over for ever; bindings come oldest first, since whoever is there for long
/// calls it most; and neither kind waits for all of the other.
class JobQueue {
public:
  struct Waiting {
    Job job;
    std::shared_ptr<Workshop::Client> client;
    unsigned passed_over = 0;
  };

  void push(Job job, std::shared_ptr<Workshop::Client> client);
  [[nodiscard]] bool empty() const { return jobs_.empty(); }
  /// The one whose turn it is. There must be one.
  Waiting pop();
  /// Takes out those of one client, or, with null, all.
  std::vector<Waiting> take(const Workshop::Client *client);

private:
  std::vector<Waiting> jobs_;
  bool was_binding_ = false; ///< The last one.
};

} // namespace sartor::runtime

#endif
