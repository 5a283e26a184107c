// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_BENCH_PROCESS_H
#define SARTOR_BENCH_PROCESS_H

#include <array>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace sartor::bench {

/// A process with our ends of its input and output. It is ended by the destructor. Members throw
/// std::runtime_error if it cannot be started or has ended.
class Process {
public:
  explicit Process(std::vector<std::string> words) {
    std::array<int, 2> input{};
    std::array<int, 2> output{};
    if (pipe2(input.data(), O_CLOEXEC) != 0 || pipe2(output.data(), O_CLOEXEC) != 0)
      throw std::runtime_error("no pipe");
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, input[0], STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
    std::vector<char *> arguments;
    for (std::string &word : words)
      arguments.push_back(word.data());
    arguments.push_back(nullptr);
    const int error =
        posix_spawn(&process_, arguments[0], &actions, nullptr, arguments.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    close(input[0]);
    close(output[1]);
    input_ = input[1];
    output_ = fdopen(output[0], "r");
    if (error != 0 || !output_)
      throw std::runtime_error("cannot start " + words[0]);
  }
  Process(Process &&other) noexcept
      : process_(std::exchange(other.process_, 0)), input_(std::exchange(other.input_, -1)),
        output_(std::exchange(other.output_, nullptr)) {}
  Process &operator=(Process &&) = delete;
  ~Process() {
    if (process_ > 0)
      kill(process_, SIGTERM);
    wait();
    if (input_ >= 0)
      close(input_);
    if (output_)
      fclose(output_);
  }

  void go() const {
    if (write(input_, "\n", 1) != 1)
      throw std::runtime_error("a replica is gone");
  }
  /// Returns a line of output; empty at the end.
  [[nodiscard]] std::string line() const {
    std::array<char, 512> text{};
    return std::fgets(text.data(), text.size(), output_) ? text.data() : "";
  }
  /// Waits for the end; returns true on success.
  bool wait() {
    int status = 1;
    if (process_ > 0)
      waitpid(std::exchange(process_, 0), &status, 0);
    return status == 0;
  }

private:
  pid_t process_ = 0;
  int input_ = -1;
  FILE *output_ = nullptr;
};

} // namespace sartor::bench

#endif
