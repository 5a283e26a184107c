// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file Measures read() of an open, cached file: generic code against code specialized by
/// quasi-invariants. Also measures the time that specialization adds to open(), the cost of write
/// guards in calls that invalidate no quasi-invariant, and the time of an invalidation.

#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness.h"
#include "read_calls.h"
#include "stand.h"

namespace sartor::bench {

const char *const bench_name = "read";

namespace {

using files::Stand;

constexpr std::size_t kRounds = 151;
constexpr std::size_t kInvalidations = 151;
constexpr std::size_t kCalls = 20'000;

struct Size {
  std::size_t bytes;
  std::size_t passes; ///< Passes through the file.
  double goal;        ///< The ratio of the initial implementation.
};
constexpr std::array<Size, 3> kSizes = {{{1, 1, 3.6}, {8'192, 10, 1.35}, {65'536, 10, 1.13}}};

std::vector<Figure> reads(Stand &stand) {
  std::vector<Figure> figures;
  for (const Size &size : kSizes) {
    const auto run = [&] {
      for (std::size_t i = 0; i < size.passes; ++i)
        stand.read_all(size.bytes);
    };
    const auto samples = interleave({{"generic", run, [&] { stand.use(false); }},
                                     {"specialized", run, [&] { stand.use(true); }}},
                                    kRounds);
    figures.push_back({"generic_over_specialized_" + std::to_string(size.bytes), "ratio",
                       ratio(samples[0], samples[1]), at_least(size.goal), size.goal});
    const std::size_t times = size.passes * (Stand::kFileBytes / size.bytes);
    const auto ticks_each = [&](const Samples &of) {
      const Interval ticks = median(of);
      const auto calls = static_cast<double>(times);
      return Interval{ticks.value / calls, ticks.low / calls, ticks.high / calls};
    };
    figures.push_back(
        {"generic_ticks_" + std::to_string(size.bytes), "ticks", ticks_each(samples[0])});
    figures.push_back(
        {"specialized_ticks_" + std::to_string(size.bytes), "ticks", ticks_each(samples[1])});
  }
  return figures;
}

double microseconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

/// Measures the cost of write guards in a call that invalidates nothing: the file has no
/// quasi-invariants. `call` makes `each` calls.
template <class Call> Interval guards(Calls &guarded, Calls &plain, Call call, double each) {
  const auto repeat = [&call](Calls &calls, int descriptor) {
    return [&call, &calls, descriptor] {
      for (std::size_t i = 0; i < kCalls; ++i)
        call(calls, descriptor, i);
    };
  };
  const int with = guarded.open("/file");
  const int without = plain.open("/file");
  const auto samples =
      interleave({{"guarded", repeat(guarded, with)}, {"plain", repeat(plain, without)}}, kRounds);
  guarded.close(with);
  plain.close(without);
  return difference(samples[0], samples[1], kCalls * each);
}

void seek(Calls &calls, int descriptor, std::size_t i) {
  calls.lseek(descriptor, static_cast<std::int64_t>(i % 2));
}
void share(Calls &calls, int descriptor, std::size_t) { calls.dup_and_close(descriptor); }

/// Opens files that are not open yet; files opened in the round before are closed first.
Alternative opening(Calls &calls, const std::vector<std::string> &paths, std::vector<int> &opened) {
  return {.name = "open",
          .run =
              [&] {
                for (const std::string &path : paths)
                  opened.push_back(calls.open(path.c_str()));
              },
          .prepare =
              [&] {
                for (const int descriptor : opened)
                  calls.close(descriptor);
                opened.clear();
              }};
}

/// Measures the share that specialization adds to open(), while other files and these have
/// quasi-invariants; one of these files stays open long enough to be specialized.
Figure opens(Calls &specializing, Calls &plain) {
  std::vector<int> with;
  std::vector<int> without;
  std::vector<std::string> paths;
  for (std::size_t i = 0; i < files::kOthers; ++i)
    paths.push_back("/" + std::to_string(i));
  const auto samples =
      interleave({opening(specializing, paths, with), opening(plain, paths, without)}, kRounds);
  Interval added = ratio(samples[0], samples[1]);
  for (double *bound : {&added.value, &added.low, &added.high})
    *bound -= 1;
  return {"open_added", "share", added, at_most(0.07), 0.068};
}

/// Measures an invalidation as the compiler places it, at a store to `threaded` in attach(): from
/// before the write guard until it has returned. Then the remaining code is active, and no thread
/// is in the previous code.
Interval invalidations(Stand &stand) {
  Samples took;
  bool &threaded = stand.client().threaded;
  for (std::size_t i = 0; i < kInvalidations; ++i) {
    stand.use(true);
    const auto begin = std::chrono::steady_clock::now();
    const bool may = sartor_may_write(&threaded, sizeof threaded) != 0;
    took.push_back(microseconds(std::chrono::steady_clock::now() - begin));
    if (!may || files::FileService::active_quasi_invariants(stand.client(), stand.descriptor()) ==
                    files::kAllQuasiInvariants)
      throw std::runtime_error("a fact did not break");
    sartor_written(&threaded, sizeof threaded);
  }
  return median(took);
}

} // namespace

std::vector<Figure> measure() {
  const files::ScratchFolder folder;
  files::make_stand_image(folder.path() / "image", Stand::kBlockBytes);
  const auto on_copy = [&](const char *name, auto make, Runtime *runtime) {
    std::filesystem::copy_file(folder.path() / "image", folder.path() / name);
    return make(folder.path() / name, runtime);
  };
  const std::unique_ptr<Calls> guarded = on_copy("guarded", guarded_calls, nullptr);
  const std::unique_ptr<Calls> plain = on_copy("plain", plain_calls, nullptr);
  const Interval seeking = guards(*guarded, *plain, seek, 1);
  const Interval sharing = guards(*guarded, *plain, share, 2);

  Stand stand;
  std::vector<Figure> figures = reads(stand);
  Runtime runtime;
  const std::unique_ptr<Calls> specializing = on_copy("specializing", guarded_calls, &runtime);
  stand.use(true); // fields of the stand have quasi-invariants
  figures.push_back(opens(*specializing, *plain));
  figures.push_back({"guard_cycles", "cycles", sharing, at_most(2), 11});
  figures.push_back({"guard_lseek_cycles", "cycles", seeking});
  figures.push_back({"guard_armed_cycles", "cycles", guards(*guarded, *plain, share, 2)});
  figures.push_back({"guard_armed_lseek_cycles", "cycles", guards(*guarded, *plain, seek, 1)});
  figures.push_back({"replug_us", "us", invalidations(stand), at_most(5)});
  return figures;
}

} // namespace sartor::bench
