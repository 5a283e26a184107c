// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures the device runtime: the size of its code and data for aarch64. With this machine
/// as a device, measures the cost of a call through a binding, the gain of a packet filter
/// (studies/device) that is specialized to its program, and the time until it is active.

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <sartor/device/device.h>

#include "../../test/server/server_process.h"
#include "harness.h"
#include "program/filter.h"

extern "C" const sartor_device_module filter_module;

namespace sartor::bench {

const char *const bench_name = "device";

namespace {

constexpr std::size_t kRounds = 40;
constexpr std::size_t kPackets = 256;
constexpr std::size_t kPacketBytes = 128;
constexpr int kCalls = 200;
constexpr double kCallsPerRun = kCalls * static_cast<double>(kPackets);
constexpr unsigned kForever = 60'000;

using Program = std::vector<instruction>;
using Packets = std::vector<std::array<std::uint8_t, kPacketBytes>>;
using Filter = std::uint32_t(const instruction *, const std::uint8_t *, std::uint32_t);

/// Returns the sum of text, data and bss, from the last line of `size -t`.
double bytes_of_library() {
  const std::string command = "aarch64-linux-gnu-size -t " BENCH_DEVICE_LIBRARY " 2>/dev/null";
  FILE *from = popen(command.c_str(), "r"); // NOLINT(bugprone-command-processor): our own words
  std::string last;
  for (std::array<char, 512> line{}; from && std::fgets(line.data(), line.size(), from);)
    last = line.data();
  if (from)
    pclose(from);
  if (!last.contains("TOTALS"))
    throw std::runtime_error("there is no library for aarch64: " BENCH_DEVICE_LIBRARY);
  return std::stod(last) + std::stod(last.substr(last.find('\t') + 1)) +
         std::stod(last.substr(last.find('\t', last.find('\t') + 1) + 1));
}

Program read_filter(const std::string &name) {
  std::ifstream file(BENCH_FILTERS "/" + name);
  std::string line;
  std::getline(file, line); // the expression
  std::size_t count = 0;
  file >> count;
  Program program(count);
  for (instruction &each : program) {
    unsigned code = 0;
    unsigned if_true = 0;
    unsigned if_false = 0;
    file >> code >> if_true >> if_false >> each.k;
    each.code = static_cast<std::uint16_t>(code);
    each.if_true = static_cast<std::uint8_t>(if_true);
    each.if_false = static_cast<std::uint8_t>(if_false);
  }
  if (!file)
    throw std::runtime_error("no filter: " + name);
  return program;
}

/// Makes packets of a busy network: TCP over IPv4 to port 80, mixed with others.
Packets make_packets() {
  std::mt19937 random(3); // NOLINT(*-random-generator-seed): runs can be repeated
  Packets packets(kPackets);
  for (auto &packet : packets) {
    for (std::uint8_t &byte : packet)
      byte = static_cast<std::uint8_t>(random());
    const bool is_four = random() % 8 != 0;
    packet[12] = is_four ? 0x08 : 0x86;
    packet[13] = is_four ? 0x00 : 0xdd;
    packet[14] = is_four ? 0x45 : 0x60;
    packet[20] = packet[21] = 0;
    packet[23] = random() % 4 == 0 ? 17 : 6;
    packet[34] = packet[36] = 0;
    packet[37] = random() % 2 == 0 ? 80 : 53;
  }
  return packets;
}

/// This machine as a device.
class Device {
public:
  explicit Device(const ServerProcess &server) : address_(server.local()) {
    const std::string key = server.file("server.pub");
    std::array<unsigned char, 32> bytes{};
    if (sartor_device_read_key(key.c_str(), bytes.data(), bytes.size()) == 0)
      throw std::runtime_error("no key");
    sartor_device_options options{};
    options.module = &filter_module;
    options.server = address_.c_str();
    options.server_key = bytes.data();
    options.contexts = 60;
    if (sartor_device_open(&options, &device_) != SARTOR_DEVICE_OK)
      throw std::runtime_error("no device");
  }
  ~Device() { sartor_device_close(device_); }
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  /// Specializes the filter to a program and waits until the code is active.
  sartor_device_binding customize(const Program &program) {
    unsigned invariant = 0;
    sartor_device_binding binding = 0;
    const sartor_device_setting setting = sartor_device_pointer(0, program.data());
    if (sartor_device_declare_invariant(device_, program.data(),
                                        program.size() * sizeof(instruction),
                                        &invariant) != SARTOR_DEVICE_OK ||
        sartor_device_customize(device_, "run_filter", &setting, 1, &binding) != SARTOR_DEVICE_OK ||
        sartor_device_wait(device_, binding, kForever) != SARTOR_DEVICE_OK)
      throw std::runtime_error("not customized");
    invariant_ = invariant;
    return binding;
  }
  void forget(sartor_device_binding binding) {
    if (sartor_device_cancel(device_, binding) != SARTOR_DEVICE_OK ||
        sartor_device_revoke(device_, invariant_) != SARTOR_DEVICE_OK)
      throw std::runtime_error("not given back");
  }
  [[nodiscard]] sartor_device *get() const { return device_; }

private:
  std::string address_;
  sartor_device *device_ = nullptr;
  unsigned invariant_ = 0;
};

/// Milliseconds from customize() until the code is active: for new programs, and for programs that
/// the server has already answered.
struct Waits {
  Samples fresh;
  Samples kept;
};
Waits wait_for_code(Device &device) {
  Waits waits;
  Program program = read_filter("06.txt");
  const auto time = [&] {
    const auto begin = std::chrono::steady_clock::now();
    const sartor_device_binding binding = device.customize(program);
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    device.forget(binding);
    return took.count();
  };
  for (std::uint32_t i = 0; i < kRounds; ++i) {
    program.back().k = 1000 + i; // number of bytes to accept of a packet that does not match
    const double fresh = time();
    const double kept = time();
    if (i == 0)
      continue;
    waits.fresh.push_back(fresh);
    waits.kept.push_back(kept);
  }
  return waits;
}

} // namespace

std::vector<Figure> measure() {
  const double bytes = bytes_of_library();
  ServerProcess server({"--modules", BENCH_MODULES});
  Device device(server);
  const Waits waits = wait_for_code(device);
  const Program program = read_filter("06.txt");
  const Packets packets = make_packets();
  const sartor_device_binding binding = device.customize(program);
  std::uint64_t wanted = 0;
  const auto by_binding = [&] {
    for (int i = 0; i < kCalls; ++i)
      for (const auto &packet : packets) {
        const sartor_device_code code = sartor_device_enter(device.get(), binding);
        wanted += reinterpret_cast<Filter *>(code.function)(program.data(), packet.data(),
                                                            kPacketBytes) != 0;
        sartor_device_leave(device.get(), code);
      }
  };
  const sartor_device_code held = sartor_device_enter(device.get(), binding);
  if (held.is_variant == 0)
    throw std::runtime_error("no variant is active");
  Filter *variant = reinterpret_cast<Filter *>(held.function);
  Filter *volatile interpreter = run_filter;
  for (const auto &packet : packets)
    if (variant(program.data(), packet.data(), kPacketBytes) !=
        run_filter(program.data(), packet.data(), kPacketBytes))
      throw std::runtime_error("a packet is filtered otherwise");
  const auto by = [&](Filter *filter) {
    for (int i = 0; i < kCalls; ++i)
      for (const auto &packet : packets)
        wanted += filter(program.data(), packet.data(), kPacketBytes) != 0;
  };
  const auto samples = interleave({{"token", by_binding},
                                   {"pointer", [&] { by(variant); }},
                                   {"interpreter", [&] { by(interpreter); }}},
                                  kRounds);
  keep(wanted);
  sartor_device_leave(device.get(), held);
  return {
      {"runtime_bytes_aarch64", "bytes", {bytes, bytes, bytes}, at_most(65'536)},
      {"token_call_ticks", "ticks", difference(samples[0], samples[1], kCallsPerRun)},
      {"interpreter_over_variant", "ratio", ratio(samples[2], samples[1])},
      {"interpreter_over_token_calls", "ratio", ratio(samples[2], samples[0])},
      {"customize_ms", "ms", median(waits.fresh)},
      {"customize_kept_ms", "ms", median(waits.kept)},
  };
}

} // namespace sartor::bench
