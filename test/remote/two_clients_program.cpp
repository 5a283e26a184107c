// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Two clients of a server that this program starts: run with the name of a case.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <sys/wait.h>
#include <unistd.h>

#include <sartor/sartor.hpp>

#include "../engine/check.h"
#include "../server/by_server.h"
#include "../server/compilers.h"
#include "../server/server_process.h"
#include "handlers.h"
#include "paths.h"

using namespace std::chrono_literals;

namespace {

/// The processes that a compiler has forked: each works for one client.
std::vector<pid_t> forked_compilers() {
  std::vector<pid_t> found;
  const auto all = compilers();
  for (const pid_t one : all)
    if (std::ranges::count(all, parent_of(one)) > 0)
      found.push_back(one);
  return found;
}

// A client's compiler never works for another client.
void compilers_of_two_clients() {
  const ServerProcess server({"--workers", "2"});
  auto options = by_tcp(server);
  options.quick_tier = false; // no request in the background waits for a stopped compiler
  sartor::Runtime one(options);
  one.specialize({{"n", 3}});
  const auto of_one = forked_compilers();
  CHECK(!of_one.empty());
#ifndef SARTOR_SANITIZED // compilers are not confined under sanitizers
  const std::filesystem::path process = "/proc/" + std::to_string(of_one.front());
  CHECK(content_of(process / "status").contains("NoNewPrivs:\t1"));
  CHECK(content_of(process / "status").contains("Seccomp:\t2"));
  for (const auto &file : std::filesystem::directory_iterator(process / "fd")) {
    const std::string name = std::filesystem::read_symlink(file);
    CHECK(name.starts_with("socket:") || name == "/dev/null");
  }
#endif
  for (const pid_t each : of_one)
    kill(each, SIGSTOP);
  sartor::Runtime two(by_socket(server));
  for (const long n : {4L, 5L, 6L})
    two.specialize({{"n", n}});
  for (const pid_t each : of_one)
    CHECK(kill(each, 0) == 0); // alive: no request waited for them until its time limit
  CHECK(forked_compilers().size() > of_one.size());
  for (const pid_t each : of_one)
    kill(each, SIGCONT);
  one.specialize({{"n", 7}});
  CHECK(one.handler<&sum_of_steps>()(7, 1) == 21);
}

// A client with the maximum number of long compilations.
void long_compiles_of_another() {
  for (const unsigned workers : {1U, 2U}) {
    ServerProcess server({"--workers", std::to_string(workers), "--compile-timeout", "200",
                          "--queue-timeout", "250"});
    std::vector<pid_t> hogs;
    for (int n = 0; n < 3; ++n) // a runtime sends one request at a time
      hogs.push_back(spawn({paths::long_compile(), server.tcp(), server.file("server.pub"),
                            server.file("clients/one.key"), std::to_string(n)},
                           {}));
    // All workers have been busy with them for a while.
    const auto are_busy = [&] { return forked_compilers().size() >= workers; };
    for (int i = 0; i < 6000 && !are_busy(); ++i)
      std::this_thread::sleep_for(10ms);
    std::this_thread::sleep_for(1s);
    sartor::Runtime other(by_socket(server));
    const auto call = other.handler<&sum_of_steps>();
    for (const long n : {31L, 32L, 33L}) {
      other.specialize({{"n", n}});
      CHECK(call(n, 1) == n * (n - 1) / 2);
    }
    for (const pid_t hog : hogs) {
      CHECK(waitpid(hog, nullptr, WNOHANG) == 0);
      kill(hog, SIGKILL);
      waitpid(hog, nullptr, 0);
    }
    server.kill();
  }
}

} // namespace

int main(int, char **arguments) {
  setenv("SARTOR_TEST_OF", std::to_string(getpid()).c_str(), 1);
  const std::map<std::string, void (*)()> cases{
      {"compilers_of_two_clients", compilers_of_two_clients},
      {"long_compiles_of_another", long_compiles_of_another}};
  cases.at(arguments[1])();
  std::puts("all is well");
}
