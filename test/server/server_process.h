// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A sartor-server for a test or a benchmark, with a separate directory for its keys. Needs
/// paths::server_program() and paths::sartor_command() (cmake/SartorPaths.cmake).
#ifndef SARTOR_TEST_SERVER_SERVER_PROCESS_H
#define SARTOR_TEST_SERVER_SERVER_PROCESS_H

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "paths.h"
#include "spawn.h"

class ServerProcess {
public:
  /// `more`: options in addition to addresses and keys. A client "one" and a device "device" are
  /// known.
  explicit ServerProcess(std::vector<std::string> more = {}) : more_(std::move(more)) {
    std::string name = std::filesystem::temp_directory_path() / "sartor-server-XXXXXX";
    if (!mkdtemp(name.data()))
      throw std::runtime_error("no temporary directory");
    directory_ = name;
    for (const char *role : {"clients", "devices", "operators"})
      std::filesystem::create_directory(directory_ / role);
    make_key("server");
    make_key("clients/one");
    make_key("devices/device");
    start();
  }
  ~ServerProcess() {
    stop();
    std::error_code ignored;
    std::filesystem::remove_all(directory_, ignored);
  }
  ServerProcess(const ServerProcess &) = delete;
  ServerProcess &operator=(const ServerProcess &) = delete;

  [[nodiscard]] std::filesystem::path file(const std::string &name) const {
    return directory_ / name;
  }
  [[nodiscard]] std::string tcp() const { return "tcp://127.0.0.1:" + std::to_string(port_); }
  [[nodiscard]] std::string local() const { return "unix:" + file("socket").string(); }
  /// The address for devices, as given by the last `--listen-devices`.
  [[nodiscard]] std::string for_devices() const {
    const std::string said = log();
    constexpr std::string_view begin = "listens at ";
    const auto at = said.rfind("listens at tcp://");
    return said.substr(at + begin.size(), said.find('\n', at) - at - begin.size());
  }
  [[nodiscard]] int port() const { return port_; }
  /// The port of /metrics, read from the log; 0 if there is none.
  [[nodiscard]] int metrics_port() const {
    constexpr std::string_view begin = "shows http://127.0.0.1:";
    const std::string said = log();
    const auto at = said.find(begin);
    return at == std::string::npos ? 0 : std::stoi(said.substr(at + begin.size()));
  }
  [[nodiscard]] pid_t pid() const { return process_; }
  [[nodiscard]] std::string log() const {
    std::ifstream file(directory_ / "log");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  void make_key(const std::string &name) const {
    if (run({paths::sartor_command(), "key", "--output", file(name)}, "keys") != 0)
      throw std::runtime_error("no key could be made: " + name);
  }

  /// Listens at the previous port, if there was one. For a while after the server has ended, that
  /// port may be used by another connection of this machine.
  void start(int tries = 50) {
    std::vector<std::string> words{paths::server_program(),
                                   "--listen",
                                   tcp(),
                                   "--listen",
                                   local(),
                                   "--key",
                                   file("server.key"),
                                   "--clients",
                                   file("clients"),
                                   "--devices",
                                   file("devices"),
                                   "--operators",
                                   file("operators")};
    words.insert(words.end(), more_.begin(), more_.end());
    std::filesystem::remove(file("log"));
    process_ = spawn_logged(words, "log");
    for (int i = 0; i < 12'000; ++i) {
      const std::string said = log();
      constexpr std::string_view begin = "listens at tcp://127.0.0.1:";
      const auto at = said.find(begin);
      if (at != std::string::npos && listens_everywhere(said)) {
        if (!handles_signals())
          throw std::runtime_error("the server says that it listens, and signals would kill it");
        port_ = std::stoi(said.substr(at + begin.size()));
        return;
      }
      if (waitpid(process_, nullptr, WNOHANG) == process_)
        break;
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    if (tries > 0 && log().contains("Address already in use"))
      return retry(tries - 1);
    throw std::runtime_error("the server does not start: " + log());
  }
  void kill() { end(SIGKILL); }
  /// Returns the status of waitpid().
  int stop() { return end(SIGTERM); }
  /// The server belongs to another process, of which this one is a child.
  void forget() { process_ = -1; }
  void signal(int number) const { ::kill(process_, number); }

private:
  void retry(int tries) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    start(tries);
  }

  /// True if the log reports each requested address as being listened at.
  [[nodiscard]] bool listens_everywhere(const std::string &log) const {
    const auto wanted = 2 + std::ranges::count(more_, "--listen-devices");
    std::ptrdiff_t found = 0;
    for (auto at = log.find("listens at "); at != std::string::npos;
         at = log.find("listens at ", at + 1))
      ++found;
    return found >= wanted;
  }
  /// True if the server has its handlers of SIGTERM, SIGINT and SIGHUP.
  [[nodiscard]] bool handles_signals() const {
    std::ifstream status("/proc/" + std::to_string(process_) + "/status");
    constexpr std::string_view begin = "SigCgt:";
    for (std::string line; std::getline(status, line);) {
      if (!line.starts_with(begin))
        continue;
      const auto caught = std::stoull(line.substr(begin.size()), nullptr, 16);
      return std::ranges::all_of(std::array{SIGTERM, SIGINT, SIGHUP},
                                 [&](int number) { return (caught >> (number - 1) & 1U) != 0; });
    }
    return false;
  }
  [[nodiscard]] pid_t spawn_logged(const std::vector<std::string> &words,
                                   const std::string &output) const {
    const int to = open(file(output).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    const pid_t made = spawn(words, {.out = to, .err = to});
    close(to);
    return made;
  }
  [[nodiscard]] int run(const std::vector<std::string> &words, const std::string &output) const {
    int status = -1;
    const pid_t made = spawn_logged(words, output);
    while (waitpid(made, &status, 0) < 0 && errno == EINTR)
      ;
    return status;
  }
  int end(int signal) {
    if (process_ <= 0)
      return 0;
    int status = -1;
    ::kill(process_, signal);
    while (waitpid(process_, &status, 0) < 0 && errno == EINTR)
      ;
    process_ = -1;
    return status;
  }

  std::vector<std::string> more_;
  std::filesystem::path directory_;
  pid_t process_ = -1;
  int port_ = 0;
};

#endif
