// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef STUDIES_PCAP_MEASURE_H
#define STUDIES_PCAP_MEASURE_H

#include <cstddef>
#include <string>
#include <vector>

#include "harness.h"

namespace pcap {

using sartor::bench::Samples;

/// Nanoseconds of processor time per packet; each round covers four positions of the code.
struct Times {
  Samples gcc;    ///< Unmodified libpcap, by gcc -O2.
  Samples clang;  ///< Unmodified libpcap, by clang -O3 -march=native.
  Samples sartor; ///< libpcap with Sartor, by gcc -O2, after the filter is specialized.
  Samples idle;   ///< The same build without specialization.

  /// The faster of the first two.
  [[nodiscard]] const Samples &stock() const;
};

/// One filter of filters.txt.
struct Filter {
  std::string text;
  std::string result; ///< "ACCEPTED of PACKETS"
  Times in_memory;    ///< The filter alone, on packets in memory.
  Times of_file;      ///< Reading the file and filtering.

  /// For display: long filters are shortened.
  [[nodiscard]] std::string name() const;
};

/// Runs each filter over all.pcap with each library, in separate interleaved processes. Throws
/// std::runtime_error if one of them cannot be run or accepts other packets.
std::vector<Filter> measure(std::size_t rounds);

/// Reads the file without a filter, with unmodified libpcap by gcc -O2.
Samples measure_without_filter(std::size_t rounds);

/// Lines that the patch adds to or removes from libpcap's sources.
std::size_t lines_changed();
/// Lines of the files that are added to libpcap's.
std::size_t lines_beside();

} // namespace pcap

#endif
