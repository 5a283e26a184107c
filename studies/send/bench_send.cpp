// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures the send path of lwIP (studies/send), specialized to socket, destination, route,
/// options and size, compared with its ahead-of-time compilation: cycles from the socket call down
/// to a driver that drops packets, bytes of code, and throughput over lwIP's loopback and over a
/// tap device to the kernel's own stack.
///
/// Cycles are those of messages in the middle of a stream: eight in a row, with all of a stream's
/// data acknowledged in between. ..._cycles_ratio are specialized ÷ generic: for datagrams of 64
/// bytes, and for whole segments.
///
/// ..._code_ratio: bytes of lwIP's functions that are reachable from lwip_send(), also through
/// pointers, over all bytes of the specialized code.
///
/// ..._over_lto: specialized cycles ÷ those of the same sources compiled with -O3 -flto, in a
/// second lwIP in a shared library that only sends, interleaved with the others.

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <stdexcept>

#include "harness.h"
#include "linked.h"
#include "reachable.h"
#include "rig.h"
#include "throughput.h"

namespace sartor::bench {

const char *const bench_name = "send";

namespace {

constexpr std::size_t kRounds = 2001;
constexpr std::size_t kThroughputRounds = 31;

Interval gain(const send::Throughput &stream) {
  const Interval faster = ratio(stream.generic, stream.specialized);
  const auto percent = [](double times) { return (times - 1) * 100; };
  return {percent(faster.value), percent(faster.low), percent(faster.high)};
}

Goal gain_goal(const std::string &name) {
  return at_least(name == "udp64" ? 16 : name == "udp1024" ? 13 : 10);
}

void add_throughput(std::vector<Figure> &figures, send::Over over, const std::string &suffix) {
  const send::Streams measured = send::measure_throughput(over, kThroughputRounds);
  if (!measured.missing.empty())
    std::fprintf(stderr, "not measured%s: %s\n", suffix.c_str(), measured.missing.c_str());
  for (const send::Throughput &stream : measured.all) {
    Figure figure{stream.name + "_gain" + suffix, "%", gain(stream)};
    if (over == send::Over::loopback)
      figure.goal = gain_goal(stream.name);
    figures.push_back(std::move(figure));
  }
}

} // namespace

std::vector<Figure> measure() {
  std::vector<Figure> figures;
  add_throughput(figures, send::Over::loopback, "");
  add_throughput(figures, send::Over::tap, "_tap");
  // Never freed: lwIP's thread runs until the process ends.
  static const auto *rig = new send::Rig(std::filesystem::temp_directory_path(), {64, 1024});
  const auto generic = static_cast<double>(send::reachable_bytes(
      std::filesystem::read_symlink("/proc/self/exe"), send::functions_of_sending()));
  static const auto *linked = new std::vector(send::linked_paths({64, 1024}));
  for (const send::Path &path : rig->paths()) {
    const auto alike = std::ranges::find(*linked, path.name, &send::LinkedPath::name);
    const auto samples = interleave({{"generic", path.generic, path.prepare},
                                     {"specialized", path.specialized, path.prepare},
                                     {"lto", alike->send, alike->prepare}},
                                    kRounds);
    figures.push_back({path.name + "_over_lto", "ratio", ratio(samples[1], samples[2])});
    const std::string name = path.name == "udp64" ? "udp" : path.name;
    Figure cycles{name + "_cycles_ratio", "ratio", ratio(samples[1], samples[0])};
    if (name != "udp1024") {
      cycles.goal = at_most(0.75);
      cycles.paper = name == "udp" ? 0.75 : 0.74;
    }
    figures.push_back(std::move(cycles));
    figures.push_back({name + "_cycles", "cycles",
                       difference(samples[1], Samples(samples[1].size()), send::Rig::messages)});
    if (name == "udp1024")
      continue; // the code is the same except for the size
    const double times = generic / static_cast<double>(path.specialized_bytes);
    figures.push_back({name + "_code_ratio",
                       "ratio",
                       {times, times, times},
                       at_least(name == "udp" ? 20 : 33),
                       name == "udp" ? 20.0 : 33.0});
  }
  return figures;
}

} // namespace sartor::bench
