// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file The server as a program, on a kernel interface by way of DPDK's af_packet driver.
#include <chrono>
#include <cstdio>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>
#include <sartor/sartor.hpp>

#include "batches.h"
#include "nic.h"
#include "rest.h"
#include "signals.h"

namespace {

using namespace sartor::echo;
using Clock = std::chrono::steady_clock;

struct Arguments {
  std::string interface;
  std::string address = "10.1.0.1";
  std::uint16_t tcp_port = 7;
  Batches batches;
};

void print(const EchoCounters &counters) {
  const nlohmann::ordered_json report{
      {"frames", counters.frames},       {"answers", counters.answers},
      {"accepted", counters.accepted},   {"closed", counters.closed},
      {"malformed", counters.malformed}, {"oversized", counters.oversized},
      {"truncated", counters.truncated}, {"reset", counters.reset},
      {"vanished", counters.vanished},   {"stuck", counters.stuck},
      {"no_room", counters.no_room},     {"no_memory", counters.no_memory},
      {"dropped", echo_dropped()}};
  std::printf("%s\n", report.dump().c_str());
}

void run(const Arguments &arguments) {
  sartor::Runtime runtime;
  const auto poll = runtime.handler<&echo_poll>();
  dpdk::Environment environment({"net_af_packet0,iface=" + arguments.interface});
  environment.start(0);
  Nic nic(environment);
  const EchoPort port = nic.port();
  const std::unique_ptr<EchoServer, void (*)(EchoServer *)> server(
      echo_open(&port, dpdk::mac_of(0).data(), arguments.address.c_str(), arguments.tcp_port),
      echo_close);
  if (!server)
    throw std::runtime_error("no server at " + arguments.address);
  runtime.specialize(arguments.batches.configuration());
  std::printf("listening\n");
  std::fflush(stdout);
  studies::Rest rest;
  while (!studies::end_requested()) {
    echo_set_time(
        server.get(),
        static_cast<std::uint32_t>(
            std::chrono::ceil<std::chrono::milliseconds>(Clock::now().time_since_epoch()).count()));
    rest.after(poll(server.get()) > 0);
  }
  print(echo_counted(server.get()));
}

} // namespace

int main(int count, char **values) {
  Arguments arguments;
  CLI::App app("Answers requests over TCP. Prints what it has counted when it is ended.");
  app.add_option("--interface", arguments.interface)->required();
  app.add_option("--address", arguments.address, "Its own")->capture_default_str();
  app.add_option("--tcp-port", arguments.tcp_port)->capture_default_str();
  app.add_option("--rx-batch", arguments.batches.rx)->capture_default_str();
  app.add_option("--queues-batch", arguments.batches.queues)->capture_default_str();
  app.add_option("--qman-batch", arguments.batches.qman)->capture_default_str();
  CLI11_PARSE(app, count, values);
  studies::listen_to_signals();
  try {
    run(arguments);
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "echo_server: %s\n", error.what());
    return 1;
  }
}
