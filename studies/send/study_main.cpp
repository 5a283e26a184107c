// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file send_study FOLDER: measures the cost of lwIP's send path, generic and specialized, the
/// effect of violated quasi-invariants, and throughput. Prints tables; writes data for the plot to
/// FOLDER.

#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>

#include "harness.h"
#include "reachable.h"
#include "rig.h"
#include "throughput.h"

namespace {

using namespace sartor::send;
using namespace sartor::bench;

constexpr std::size_t kRounds = 1001;
constexpr std::size_t kThroughputRounds = 21;

// Must run before threads are started, since it forks processes for the measurements.
void report_throughput() {
  std::printf("Throughput, messages a second; TCP in segments of 1,460 bytes\n");
  for (const Over over : {Over::loopback, Over::tap}) {
    const char *name =
        over == Over::loopback ? "over lwIP's loopback" : "over a tap device to the kernel's stack";
    const Streams measured = measure_throughput(over, kThroughputRounds);
    if (!measured.missing.empty())
      std::printf("  %s: left out, %s\n", name, measured.missing.c_str());
    for (const Throughput &stream : measured.all) {
      const auto rate = [&](const std::vector<double> &seconds) {
        return static_cast<double>(stream.messages) / median(seconds).value;
      };
      const Interval faster = ratio(stream.generic, stream.specialized);
      std::printf("  %-8s %s: %.0f generic, %.0f specialized: %+.1f [%+.1f, %+.1f] %%\n",
                  stream.name.c_str(), name, rate(stream.generic), rate(stream.specialized),
                  (faster.value - 1) * 100, (faster.low - 1) * 100, (faster.high - 1) * 100);
    }
  }
}

void report_cycles(const Rig &rig, const std::filesystem::path &folder) {
  std::ofstream data(folder / "cycles.dat");
  std::printf("\nCycles from the socket call to a driver that drops, bytes of code\n");
  for (const Path &path : rig.paths()) {
    const auto samples = interleave(
        {{"generic", path.generic, path.prepare}, {"specialized", path.specialized, path.prepare}},
        kRounds);
    const double generic = median(samples[0]).value / Rig::messages;
    const double specialized = median(samples[1]).value / Rig::messages;
    const Interval times = ratio(samples[1], samples[0]);
    std::printf("  %-8s %6.0f generic, %6.0f specialized: %.3f [%.3f, %.3f]; %zu bytes\n",
                path.name.c_str(), generic, specialized, times.value, times.low, times.high,
                path.specialized_bytes);
    data << path.name << ' ' << path.size << ' ' << generic << ' ' << specialized << '\n';
  }
  std::printf(
      "  generic code that calls lead to: %zu bytes\n",
      reachable_bytes(std::filesystem::read_symlink("/proc/self/exe"), functions_of_sending()));
}

void report_disturbances(Rig &rig) {
  std::printf("\nWhat becomes of facts\n");
  for (const Disturbance &each : rig.disturb())
    std::printf("  %-48s %s; the writer waited %.0f us; all is as before after %.0f ms\n",
                each.what.c_str(), each.refused > 0 ? "refused" : "replugged",
                each.writer_microseconds, each.back_milliseconds);
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: send_study FOLDER\n");
    return 2;
  }
  try {
    std::filesystem::create_directories(argv[1]);
    report_throughput();
    // Never freed: lwIP's thread runs until the process ends.
    static auto *rig = new Rig(argv[1], {64, 128, 256, 512, 1024, 1460});
    report_cycles(*rig, argv[1]);
    report_disturbances(*rig);
    return 0;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "send_study: %s\n", error.what());
    return 1;
  }
}
