// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "policer_control.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "control.h"
#include "parse.h"
#include "policer_state.h"
#include "settings.h"

namespace nf {

namespace {

constexpr std::uint64_t kSecond = 1'000'000'000;
constexpr std::uint64_t kMostBytes = (std::uint64_t{1} << 62U) / kSecond - 1;
constexpr std::uint32_t kExampleNetworks = 32;

constexpr std::array<const char *, policer_outcomes> kOutcomes = {
    "passed", "outbound", "unpoliced", "exceeded", "table_full", "other", "broken"};

std::uint32_t swept = 0; ///< First slot of the next sweep.

void configure(const toml::table &table) { policer_config = policer_config_of(table); }

void forget(std::uint32_t flows) {
  make_anew(policer_state.buckets, flows, policer_buckets_make, policer_buckets_free);
  std::ranges::fill(policer_state.counts, 0);
  swept = 0;
}

void sweep(std::uint64_t now) {
  policer_buckets_sweep(&policer_state.buckets, &swept, slots_at_a_time, policer_bucket_is_over,
                        &now);
}

std::span<const std::byte> configuration() { return std::as_bytes(std::span(&policer_config, 1)); }

/// Hosts of 32 networks inside, each with one host outside.
Frame frame(NfSide side, std::uint32_t flow) {
  const std::uint32_t inside =
      0x0a000000 + (flow % kExampleNetworks << 16U) + flow / kExampleNetworks + 1;
  const std::uint32_t outside = 0xc6120000 + flow;
  Frame one{.source = side == nf_external ? outside : inside,
            .destination = side == nf_external ? inside : outside,
            .source_port = 40'000,
            .destination_port = 443};
  one.payload.resize(18);
  return one;
}

std::string example() {
  std::ostringstream text;
  for (unsigned i = 0; i < kExampleNetworks; ++i)
    text << "[[policer.class]]\ndestinations = \"10." << i
         << ".0.0/16\"\nrate = " << 1'000'000'000 + 1'000'000 * i
         << "\nburst = " << 100'000'000 + 1'000'000 * i << '\n';
  return text.str();
}
const std::string example_text = example();

} // namespace

int policer_bucket_is_over(const PolicerKey *key, const PolicerBucket *bucket, void *now) {
  const std::uint64_t elapsed = *static_cast<const std::uint64_t *>(now) - bucket->filled;
  for (const PolicerClass &one : std::span(policer_config.classes).first(policer_config.count))
    if ((key->destination & one.mask) == one.network)
      return elapsed >= one.filling;
  return 1;
}

PolicerConfig policer_config_of(const toml::table &table) {
  Settings settings(table, "policer");
  PolicerConfig config{};
  for (Settings &one : settings.list("class", policer_most_classes)) {
    const Network destinations = one.network("destinations");
    const std::uint64_t rate = one.number("rate", {1, kMostBytes});
    const std::uint64_t most = one.number("burst", {1, kMostBytes}) * kSecond;
    one.finish();
    config.classes[config.count++] = {.network = nf_swap32(destinations.address),
                                      .mask = nf_swap32(destinations.mask),
                                      .rate = rate,
                                      .most = most,
                                      .filling = (most + rate - 1) / rate};
  }
  settings.finish();
  return config;
}

const Function policer_function{.name = "policer",
                                .poll = policer_poll,
                                .configure = configure,
                                .forget = forget,
                                .sweep = sweep,
                                .configuration = configuration,
                                .outcomes = kOutcomes,
                                .counts = policer_state.counts,
                                .frame = frame,
                                .example = example_text};

} // namespace nf
