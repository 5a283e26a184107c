// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "tables.h"

#include <array>
#include <functional>
#include <iomanip>
#include <string>
#include <vector>

#include "harness.h"
#include "stand.h"

namespace files {

namespace {

using sartor::bench::Interval;
using sartor::bench::Samples;

constexpr std::size_t kRounds = 41;
constexpr std::array<std::size_t, 3> kSizes = {1, 8'192, 65'536};
constexpr std::array<std::size_t, 6> kMoreSizes = {1, 64, 1'024, 8'192, 65'536, 262'144};

std::size_t passes(std::size_t bytes) { return bytes < 64 ? 1 : 10; }

/// Ticks of a read, generic and specialized.
struct Ticks {
  Interval generic;
  Interval specialized;
  Interval ratio;
};

Ticks measure(Stand &stand, std::size_t bytes, long quasi_invariants) {
  const auto run = [&] {
    for (std::size_t i = 0; i < passes(bytes); ++i)
      stand.read_all(bytes);
  };
  auto samples =
      sartor::bench::interleave({{"generic", run, [&] { stand.use(false, quasi_invariants); }},
                                 {"specialized", run, [&] { stand.use(true, quasi_invariants); }}},
                                kRounds);
  const std::size_t calls = passes(bytes) * (Stand::kFileBytes / bytes);
  for (Samples &each : samples)
    for (double &ticks : each)
      ticks /= static_cast<double>(calls);
  return {sartor::bench::median(samples[0]), sartor::bench::median(samples[1]),
          sartor::bench::ratio(samples[0], samples[1])};
}

std::ostream &operator<<(std::ostream &to, const Interval &interval) {
  return to << interval.value << " [" << interval.low << ", " << interval.high << "]";
}

/// A violated quasi-invariant: `begin` violates it, `end` restores it.
struct Situation {
  std::string name;
  long quasi_invariants; ///< The valid ones.
  std::function<void()> begin;
  std::function<void()> end;
};

std::vector<Situation> situations(Stand &stand, Client &other, int &descriptor) {
  FileService &service = stand.service();
  Client &own = stand.client();
  const auto open = [&](unsigned mode) {
    return [&, mode] { descriptor = static_cast<int>(service.open(other, "/file", mode)); };
  };
  const auto close = [&] { service.close(other, descriptor); };
  const auto lock = [&, open] {
    open(kReading)();
    service.lock(other, descriptor, Stand::kFileBytes, Stand::kFileBytes + 1,
                 RecordLocking::exclusive);
  };
  constexpr long kAlone = kAllQuasiInvariants & ~kNoSharingOfInode;
  return {
      {"all hold", kAllQuasiInvariants, [] {}, [] {}},
      {"somebody else has the file open", kAlone, open(kReading), close},
      {"… to write", kAlone & ~kReadOnly, open(kWriting), close},
      {"… and has locked a part of it", kAlone & ~kNoLocks, lock, close},
      {"the offset is shared", kAllQuasiInvariants & ~kNoSharingOfOffset,
       [&] { descriptor = static_cast<int>(service.dup(own, stand.descriptor())); },
       [&] { service.close(own, descriptor); }},
  };
}

} // namespace

void write_sizes(std::ostream &tables, std::ostream &data) {
  for (const std::size_t block : {std::size_t{1024}, std::size_t{4096}}) {
    Stand stand(block);
    tables << "Blocks of " << block << " bytes, all facts hold\n\n"
           << "| bytes | generic, ticks | specialized, ticks | generic ÷ specialized |\n"
           << "|---|---|---|---|\n";
    for (const std::size_t bytes : kMoreSizes) {
      const Ticks ticks = measure(stand, bytes, kAllQuasiInvariants);
      tables << std::fixed << "| " << bytes << " | " << std::setprecision(0) << ticks.generic.value
             << " | " << ticks.specialized.value << " | " << std::setprecision(2) << ticks.ratio
             << " |\n";
      data << block << ' ' << bytes << ' ' << ticks.ratio.value << ' ' << ticks.ratio.low << ' '
           << ticks.ratio.high << '\n';
    }
    tables << '\n';
    data << "\n\n";
  }
}

void write_quasi_invariants(std::ostream &tables, std::ostream &data) {
  Stand stand(Stand::kBlockBytes);
  Client &other = stand.service().add_client();
  int descriptor = -1;
  tables << "Generic ÷ specialized, blocks of " << Stand::kBlockBytes
         << " bytes, while not all facts hold\n\n| | 1 | 8192 | 65536 |\n|---|---|---|---|\n";
  for (const Situation &situation : situations(stand, other, descriptor)) {
    situation.begin();
    tables << "| " << situation.name;
    data << '"' << situation.name << '"';
    for (const std::size_t bytes : kSizes) {
      const Ticks ticks = measure(stand, bytes, situation.quasi_invariants);
      tables << " | " << std::fixed << std::setprecision(2) << ticks.ratio;
      data << ' ' << ticks.ratio.value;
    }
    tables << " |\n";
    data << '\n';
    situation.end();
  }
  tables << '\n';
}

} // namespace files
