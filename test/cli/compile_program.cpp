// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// compile_program [CONFIGURATION [compare]]: specializes its handlers and prints where each one's
/// code came from and what the handlers compute. If specializing fails, prints the error and also
/// what they compute. `compare` waits until calls have been compared with the native code.

#include <bit>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <thread>
#include <vector>

#include <sartor/sartor.hpp>

#include "blend.h"
#include "handlers.h"

namespace {

const char *text_of(sartor::VariantOrigin origin) {
  switch (origin) {
  case sartor::VariantOrigin::native:
    return "native";
  case sartor::VariantOrigin::compiled:
    return "compiled";
  case sartor::VariantOrigin::ahead_of_time:
    return "ahead_of_time";
  default:
    return "elsewhere";
  }
}

/// FNV-1a hash of all results of the handlers.
template <class Scale, class Blend> std::uint64_t digest(Scale &scale, Blend &blend) {
  std::uint64_t sum = 0xcbf29ce484222325;
  const auto add = [&](std::uint32_t word) { sum = (sum ^ word) * 0x100000001b3; };
  for (int columns : {4, 8, 16, 5})
    for (int mode = 0; mode < 4; ++mode) {
      std::vector<std::uint32_t> rows(static_cast<std::size_t>(columns) * 3, 77);
      scale(rows.data(), 3, columns, mode);
      for (const std::uint32_t cell : rows)
        add(cell);
    }
  for (int taps : {1, 3, 4, 8, 13}) {
    std::vector<float> samples(100);
    std::vector<float> weights(16);
    for (std::size_t i = 0; i < samples.size(); ++i)
      samples[i] = 1.0F / static_cast<float>(i + 3);
    for (std::size_t i = 0; i < weights.size(); ++i)
      weights[i] = 0.37F * static_cast<float>(i) - 1.1F;
    std::vector<float> blended(80);
    blend(samples.data(), weights.data(), blended.data(), 80, taps);
    for (const float sample : blended)
      add(std::bit_cast<std::uint32_t>(sample));
  }
  return sum;
}

} // namespace

int main(int argc, char **argv) {
  sartor::Runtime runtime;
  auto scale = runtime.handler<&scale_rows>();
  auto mix = runtime.handler<&blend>();
  try {
    if (argc > 1)
      for (const auto &info : runtime.specialize(sartor::Configuration::from_json(argv[1])))
        if (info.origin != sartor::VariantOrigin::native)
          std::printf("%s %s\n", info.name.c_str(), text_of(info.origin));
  } catch (const sartor::Error &error) {
    std::printf("%s\n", error.what());
  }
  const std::uint64_t sum = digest(scale, mix);
  std::printf("digest %016llx\n", static_cast<unsigned long long>(sum));
  try {
    auto *scale_pointer = scale.function();
    auto *mix_pointer = mix.function();
    std::printf("by pointers: %s\n", digest(scale_pointer, mix_pointer) == sum ? "same" : "other");
  } catch (const sartor::Error &error) {
    std::printf("by pointers: %s\n", error.what());
  }
  if (argc <= 2)
    return 0;
  for (int i = 0; i < 20'000 && runtime.statistics().verified == 0; ++i) {
    (void)digest(scale, mix);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  std::printf("compared: %s\n", runtime.statistics().verified > 0 ? "yes" : "no");
}
