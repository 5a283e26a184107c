// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_WORKER_H
#define SARTOR_BENCH_WORKER_H

#include <array>
#include <functional>
#include <stdexcept>

#include <sys/wait.h>
#include <unistd.h>

namespace sartor::bench {

/// A forked process that does work when asked to: another one may have other options. To be made
/// while there is one thread.
class Worker {
public:
  /// Does the work so many times.
  using Work = std::function<void(int count)>;

  /// Calls `run` in the new process, which prepares and then calls its argument, once, with the
  /// work. Throws std::runtime_error if that ends before.
  explicit Worker(const std::function<void(const std::function<void(const Work &)> &serve)> &run) {
    std::array<int, 2> to_worker{};
    std::array<int, 2> from_worker{};
    if (pipe(to_worker.data()) != 0 || pipe(from_worker.data()) != 0)
      throw std::runtime_error("no pipe");
    process_ = fork();
    if (process_ == 0) {
      close(to_worker[1]);
      close(from_worker[0]);
      run([&](const Work &work) { serve(work, to_worker[0], from_worker[1]); });
      _exit(1);
    }
    close(to_worker[0]);
    close(from_worker[1]);
    ask_ = to_worker[1];
    answer_ = from_worker[0];
    await();
  }
  ~Worker() {
    close(ask_);
    close(answer_);
    waitpid(process_, nullptr, 0);
  }
  Worker(const Worker &) = delete;
  Worker &operator=(const Worker &) = delete;

  void work(int count) const {
    if (write(ask_, &count, sizeof count) != sizeof count)
      throw std::runtime_error("a worker has ended");
    await();
  }
  [[nodiscard]] pid_t process() const { return process_; }

private:
  [[noreturn]] static void serve(const Work &work, int asked, int answer) {
    const char done = 1;
    (void)!write(answer, &done, 1);
    for (int count = 0; read(asked, &count, sizeof count) == sizeof count;) {
      work(count);
      (void)!write(answer, &done, 1);
    }
    _exit(0);
  }

  void await() const {
    char done = 0;
    if (read(answer_, &done, 1) != 1)
      throw std::runtime_error("a worker has ended");
  }

  pid_t process_ = 0;
  int ask_ = -1;
  int answer_ = -1;
};

} // namespace sartor::bench

#endif
