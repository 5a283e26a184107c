// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_PYTHON_INTERRUPTIBLE_H
#define SARTOR_PYTHON_INTERRUPTIBLE_H

#include <atomic>
#include <functional>
#include <stop_token>

namespace sartor::python {

/// Calls `work` on a new thread, without the GIL. The calling thread, which must hold the GIL, runs
/// Python's signal handlers meanwhile. If one of those raises an exception (Ctrl-C), `work` is
/// asked to stop, Python code called by it gets KeyboardInterrupt, and the exception is thrown once
/// `work` has ended. Otherwise throws the exceptions of `work`.
///
/// `thread`: Python's identifier of the thread that runs this Python code, 0 while there is none;
/// null: the thread of `work` itself.
void run_interruptibly(const std::function<void(const std::stop_token &)> &work,
                       const std::atomic<unsigned long> *thread = nullptr);

} // namespace sartor::python

#endif
