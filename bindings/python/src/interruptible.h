// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_PYTHON_INTERRUPTIBLE_H
#define SARTOR_PYTHON_INTERRUPTIBLE_H

#include <atomic>
#include <functional>
#include <stop_token>

namespace sartor::python {

/// Calls `work` on a thread of its own, without the interpreter's lock, while the calling thread,
/// which holds it, lets Python's signal handlers run. When one of those raises (Ctrl-C), `work` is
/// asked to stop, Python code that it is in gets KeyboardInterrupt, and what was raised is thrown
/// once `work` has ended. Throws what `work` does, otherwise.
///
/// `thread`: Python's number of the thread whose Python code that is, 0 while there is none; null:
/// `work` itself.
void run_interruptibly(const std::function<void(const std::stop_token &)> &work,
                       const std::atomic<unsigned long> *thread = nullptr);

} // namespace sartor::python

#endif
