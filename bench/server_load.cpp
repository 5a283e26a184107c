// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Clients of a server that repeatedly request a variant that it has made before; some of
/// them send it garbage. bench_server starts it. It prints the number of answered requests and the
/// seconds, the number of lost clients, and the 99th percentile of the latency in milliseconds.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "core/compiler/compiler.h"
#include "core/compiler/no_deadline.h"
#include "paths.h"
#include "remote/protocol/remote_compiler.h"
#include "remote/protocol/to_server.h"

namespace {

using namespace sartor;
using Clock = std::chrono::steady_clock;

std::atomic<unsigned> ready = 0;
std::atomic<bool> go = false;
std::atomic<bool> stop = false;

core::Context wanted() {
  core::Context context;
  context.handler = "bench_product";
  context.configuration = {{"N", 256}, {"B", 16}};
  return context;
}

/// Returns the milliseconds of each answer; nothing if an answer is missing.
std::optional<std::vector<double>> ask(const CompilerServer &how,
                                       std::shared_ptr<const core::HandlerModule> module) {
  remote::ToServer way(how); // a connection of its own
  remote::RemoteCompiler compiler(way);
  const auto maker = compiler.make_maker(std::move(module));
  const auto once = [&] {
    const auto draft = maker->draft(wanted(), "bench_product{B=16,N=256}", {}, core::NoDeadline());
    if (!draft)
      std::fprintf(stderr, "%s\n", draft.error().text().c_str());
    return draft && (*draft)->make(core::NoDeadline());
  };
  bool good = once();
  ++ready;
  std::vector<double> times;
  go.wait(false);
  while (!stop && good) {
    const auto begin = Clock::now();
    good = once();
    times.push_back(std::chrono::duration<double, std::milli>(Clock::now() - begin).count());
  }
  return good ? std::optional(std::move(times)) : std::nullopt;
}

/// Sends invalid data at each layer in turn.
void send_garbage(int port, unsigned seed) {
  std::mt19937 random(seed);
  ++ready;
  for (unsigned round = 0; !stop; ++round) {
    const int made = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<std::uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (connect(made, reinterpret_cast<sockaddr *>(&address), sizeof address) == 0) {
      std::array<unsigned char, 2048> bytes{};
      for (auto &byte : bytes)
        byte = static_cast<unsigned char>(random());
      if (round % 2 == 0) { // begins like TLS
        bytes[0] = 22;
        bytes[1] = 3;
        bytes[2] = 1;
      }
      (void)send(made, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    close(made);
  }
}

} // namespace

int main(int count, char **words) {
  if (count != 8)
    return 2;
  const CompilerServer how{words[1], words[2], words[3]};
  const int port = std::stoi(words[4]);
  const int clients = std::stoi(words[5]);
  const int bad = std::stoi(words[6]);
  const double seconds = std::stod(words[7]);
  remote::ToServer way(how);
  remote::RemoteCompiler compiler(way);
  std::ifstream file(paths::server_load_module(), std::ios::binary);
  auto loaded =
      compiler.load_file("bench_product", std::string(std::istreambuf_iterator<char>(file), {}));
  if (!loaded) {
    std::fprintf(stderr, "%s\n", loaded.error().text().c_str());
    return 1;
  }
  const auto module = std::make_shared<const core::HandlerModule>(std::move(*loaded));
  std::mutex mutex; // guards the following variables
  std::vector<double> times;
  int lost = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < clients; ++i)
    threads.emplace_back([&, i] {
      if (i < bad)
        return send_garbage(port, static_cast<unsigned>(i));
      const auto mine = ask(how, module);
      const std::lock_guard lock(mutex);
      if (!mine)
        ++lost;
      else
        times.insert(times.end(), mine->begin(), mine->end());
    });
  while (ready < static_cast<unsigned>(clients))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  const auto begin = Clock::now();
  go = true;
  go.notify_all();
  std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
  stop = true;
  for (std::thread &thread : threads)
    thread.join();
  const std::chrono::duration<double> took = Clock::now() - begin;
  std::ranges::sort(times);
  const double late = times.empty() ? 0 : times[times.size() * 99 / 100];
  std::printf("%zu %.6f %d %.6f\n", times.size(), took.count(), lost, late);
}
