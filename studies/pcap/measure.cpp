// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "measure.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "lines.h"
#include "measured_program.h"

namespace pcap {

namespace {

namespace fs = std::filesystem;
using studies::MeasuredProgram;

std::string built(const std::string &what) { return std::string(STUDY_PCAP_BUILT) + "/" + what; }

MeasuredProgram reader(const std::string &program, const std::string &how, const std::string &of,
                       const std::string &filter) {
  return MeasuredProgram(
      {"/usr/bin/env", "PCAP_SARTOR=" + how, program, of, built("all.pcap"), filter});
}

/// The same program with its code at different addresses, which changes the speed of interpreters
/// by up to half.
class Readers {
public:
  Readers(const std::string &kind, const std::string &how, const std::string &of,
          const std::string &filter) {
    for (const char *place : {"16", "32", "48", "64"})
      readers_.push_back(reader(built(kind) + "/speed-" + place, how, of, filter));
    for (const MeasuredProgram &each : readers_)
      if (each.result().empty() || each.result() != result())
        throw std::runtime_error(filter + " accepts other packets");
  }

  [[nodiscard]] const std::string &result() const { return readers_.front().result(); }
  [[nodiscard]] double run() const {
    double sum = 0;
    for (const MeasuredProgram &each : readers_)
      sum += each.run();
    return sum / static_cast<double>(readers_.size());
  }

private:
  std::vector<MeasuredProgram> readers_;
};

Times measure(Filter &filter, const std::string &of, std::size_t rounds) {
  Times made;
  const std::array<Readers, 4> readers = {
      Readers("gcc", "", of, filter.text), Readers("clang", "", of, filter.text),
      Readers("sartor", "heat=1,wait", of, filter.text), Readers("sartor", "off", of, filter.text)};
  filter.result = readers[0].result().substr(0, readers[0].result().find('\n'));
  const std::array<Samples *, 4> samples = {&made.gcc, &made.clang, &made.sartor, &made.idle};
  studies::compare(filter.name(), readers, samples, rounds);
  return made;
}

} // namespace

const Samples &Times::stock() const {
  return sartor::bench::median(gcc).value < sartor::bench::median(clang).value ? gcc : clang;
}

std::string Filter::name() const {
  constexpr std::size_t kLongest = 60;
  return text.size() > kLongest ? text.substr(0, kLongest / 2) + " ..." : text;
}

std::vector<Filter> measure(std::size_t rounds) {
  std::ifstream in(fs::path(STUDY_PCAP_SOURCE) / "filters.txt");
  std::vector<Filter> filters;
  for (std::string line; std::getline(in, line);) {
    Filter &filter = filters.emplace_back();
    filter.text = line;
    filter.in_memory = measure(filter, "memory", rounds);
    filter.of_file = measure(filter, "file", rounds);
  }
  return filters;
}

Samples measure_without_filter(std::size_t rounds) {
  const Readers readers("gcc", "", "file", "");
  Samples samples;
  for (std::size_t round = 0; round < rounds; ++round)
    samples.push_back(readers.run());
  return samples;
}

std::size_t lines_changed() {
  return sartor::bench::lines_changed(fs::path(STUDY_PCAP_SOURCE) / "libpcap.patch");
}

std::size_t lines_beside() { return sartor::bench::lines_of(STUDY_PCAP_SOURCE, "psartor"); }

} // namespace pcap
