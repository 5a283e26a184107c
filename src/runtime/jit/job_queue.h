// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_JIT_JOB_QUEUE_H
#define SARTOR_RUNTIME_JIT_JOB_QUEUE_H

#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <vector>

#include "runtime/jit/compile_queue.h"

namespace sartor::runtime {

/// The waiting jobs of all runtimes. Those that cannot wait are served first. Requests are served
/// newest first, because their callers wait, but none is passed over forever; bindings are served
/// oldest first, since the bindings that exist longest are called most. The two kinds alternate.
class JobQueue {
public:
  struct Waiting {
    Job job;
    std::shared_ptr<CompileQueue::Client> client;
    unsigned passed_over = 0;
  };

  void push(Job job, std::shared_ptr<CompileQueue::Client> client);
  [[nodiscard]] bool empty() const { return jobs_.empty(); }
  [[nodiscard]] std::size_t size() const { return jobs_.size(); }
  /// Removes the next job and returns it. The queue must not be empty.
  Waiting pop();
  /// Removes the jobs of one client, or, with null, all.
  std::vector<Waiting> take(const CompileQueue::Client *client);

private:
  std::list<Waiting> jobs_;
  bool was_binding_ = false; ///< The last job was for a binding.
};

} // namespace sartor::runtime

#endif
