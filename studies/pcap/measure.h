// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef STUDIES_PCAP_MEASURE_H
#define STUDIES_PCAP_MEASURE_H

#include <cstddef>
#include <string>
#include <vector>

#include "harness.h"

namespace pcap {

using sartor::bench::Samples;

/// Nanoseconds of processor time that a packet takes, in rounds, each of which is of four places of
/// the code.
struct Times {
  Samples gcc;    ///< libpcap as it is, by gcc -O2.
  Samples clang;  ///< libpcap as it is, by clang -O3 -march=native.
  Samples sartor; ///< With Sartor in it, by gcc -O2, when the filter is specialized.
  Samples idle;   ///< The same build, with nothing specialized.

  /// Of the first two, the one that takes less.
  [[nodiscard]] const Samples &stock() const;
};

/// One of filters.txt.
struct Filter {
  std::string text;
  std::string result; ///< "ACCEPTED of PACKETS"
  Times in_memory;    ///< The filter alone, of packets in memory.
  Times of_file;      ///< Reading the file, with the filter.

  /// For people: long ones are cut.
  [[nodiscard]] std::string name() const;
};

/// Runs each filter over all.pcap with each library, in processes of their own that take turns.
/// Throws std::runtime_error if one of them cannot be run, or accepts other packets.
std::vector<Filter> measure(std::size_t rounds);

/// Reading the file without a filter, by stock gcc -O2.
Samples measure_without_filter(std::size_t rounds);

/// Lines that the patch adds to libpcap's sources or takes away from them.
std::size_t lines_changed();
/// Lines of the files that come along.
std::size_t lines_beside();

} // namespace pcap

#endif
