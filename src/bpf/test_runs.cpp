// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bpf/test_runs.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <random>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <linux/bpf.h>
#include <netinet/in.h>
#include <sched.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "bpf/map_copies.h"
#include "bpf/shared_maps.h"
#include "core/request/context.h"

namespace sartor::bpf {

namespace {

using Random = std::mt19937;

constexpr std::size_t kEthernet = 14; ///< The shortest packet that Linux runs a program on.
constexpr std::size_t kLongest = kEthernet + 1500;
constexpr std::size_t kMostKeys = 64; ///< Of each map.

void put16(std::string &packet, std::size_t number) {
  packet += static_cast<char>(number >> 8);
  packet += static_cast<char>(number);
}

/// Half of them are small, because enumerations are.
void fill(std::string &packet, std::size_t count, Random &random) {
  const bool is_small = random() % 2 == 0;
  for (std::size_t i = 0; i < count; ++i)
    packet += static_cast<char>(is_small ? random() % 4 * (random() % 4) : random());
}

std::string transport(Random &random, std::uint8_t protocol) {
  std::string made;
  const std::size_t payload = random() % 4 == 0 ? random() % 1400 : random() % 40;
  fill(made, 4, random); // ports
  if (protocol == IPPROTO_UDP)
    put16(made, 8 + payload);
  else
    fill(made, 8, random);
  if (protocol == IPPROTO_TCP)
    put16(made, 5U << 12 | random() % 256);
  fill(made, payload + 4, random);
  return made;
}

std::string ipv4(Random &random) {
  const std::uint8_t protocols[] = {IPPROTO_UDP, IPPROTO_TCP, IPPROTO_ICMP};
  const std::uint8_t protocol = protocols[random() % 3];
  const std::size_t words = random() % 4 == 0 ? 5 + random() % 11 : 5;
  const std::string payload = transport(random, protocol);
  std::string made;
  made += static_cast<char>(0x40 | words);
  made += '\0';
  put16(made, words * 4 + payload.size());
  fill(made, 2, random);                                // identification
  put16(made, random() % 8 == 0 ? random() : 1U << 14); // fragments
  made += '\x40';
  made += static_cast<char>(protocol);
  fill(made, 2 + 4 + 4 + (words - 5) * std::size_t{4}, random);
  return made + payload;
}

std::string ipv6(Random &random) {
  const std::uint8_t protocols[] = {IPPROTO_UDP, IPPROTO_TCP, IPPROTO_ICMPV6};
  const std::uint8_t protocol = protocols[random() % 3];
  const std::string payload = transport(random, protocol);
  std::string made("\x60\0\0\0", 4);
  put16(made, payload.size());
  made += static_cast<char>(protocol);
  made += '\x40';
  fill(made, 32, random);
  return made + payload;
}

std::string packet_of(Random &random) {
  std::string made;
  fill(made, 12, random);
  if (random() % 6 == 0) { // a VLAN tag
    put16(made, 0x8100);
    fill(made, 2, random);
  }
  const unsigned kind = random() % 8;
  put16(made, kind < 3 ? 0x0800 : kind < 5 ? 0x86dd : random());
  if (kind < 3)
    made += ipv4(random);
  else if (kind < 5)
    made += ipv6(random);
  else
    fill(made, random() % 4 == 0 ? random() % 1500 : 50, random);
  if (random() % 8 == 0) // too short for its headers
    made.resize(kEthernet + random() % 50);
  made.resize(std::clamp(made.size(), kEthernet, kLongest));
  return made;
}

std::vector<std::string> constants_of(const core::Context &context) {
  std::vector<std::string> found;
  for (const auto &[label, setting] : context.configuration)
    for (const Value &value : setting.values)
      for (const std::size_t bytes : {1U, 2U, 4U, 8U}) {
        const std::uint64_t bits = value.bits();
        std::string low(bytes, '\0');
        std::memcpy(low.data(), &bits, bytes);
        found.push_back(low);
        std::ranges::reverse(low); // as in the headers of packets
        found.push_back(std::move(low));
      }
  if (context.kernel)
    for (const auto &[name, map] : context.kernel->maps)
      for (std::size_t i = 0; i < std::min(map.entries.size(), kMostKeys); ++i)
        found.push_back(map.entries[i].key);
  return found;
}

/// Makes packets for test runs, always the same: Ethernet with and without VLAN tags, IPv4 (with
/// options and without), IPv6, UDP, TCP, and other bytes; 14 to 1,514 bytes long. Values of the
/// configuration, and keys of the maps whose content is folded, are placed in some of them.
std::vector<std::string> sample_packets(const core::Context &context, unsigned count) {
  Random random(1); // NOLINT(cert-msc32-c,cert-msc51-cpp): the same packets each time
  const std::vector<std::string> constants = constants_of(context);
  std::vector<std::string> packets;
  for (unsigned i = 0; i < count; ++i) {
    std::string packet = packet_of(random);
    for (std::size_t times = constants.empty() ? 0 : random() % 8; times > 0; --times) {
      const std::string &constant = constants[random() % constants.size()];
      // Most headers are in the first bytes.
      const std::size_t end = std::min<std::size_t>(packet.size(), kEthernet + 64);
      if (constant.size() + kEthernet <= end)
        packet.replace(kEthernet + random() % (end - kEthernet - constant.size() + 1),
                       constant.size(), constant);
    }
    packets.push_back(std::move(packet));
  }
  return packets;
}

/// The effects of a program's calls of kernel functions.
struct Effects {
  bool leaves_test = false;  ///< It may change more than maps and the packet.
  bool uses_random = false;  ///< It uses random numbers.
  bool calls_others = false; ///< It makes tail calls.
};

// Functions that only read, or change nothing but the packet, its metadata and maps. Redirection is
// among them: a test run returns the verdict and does not follow it. Events go to maps, too. The
// numbers are those of Linux's enum bpf_func_id, whose names older headers lack.
constexpr std::array<std::int32_t, 80> kHarmless{
    1,   2,   3,   5,   7,   8,   9,   10,  11,  12,  17,  18,  19,  20,  21,  23,
    24,  25,  26,  28,  29,  30,  31,  32,  33,  34,  38,  39,  40,  41,  42,  43,
    44,  46,  47,  48,  50,  51,  54,  65,  68,  69,  79,  84,  85,  86,  87,  88,
    89,  93,  94,  95,  96,  97,  98,  99,  118, 125, 130, 131, 132, 133, 134, 135,
    152, 155, 160, 163, 164, 165, 181, 182, 188, 189, 190, 195, 201, 202, 203, 208};
constexpr std::int32_t kRandom = 7;
constexpr std::int32_t kTailCall = 12;
constexpr std::uint8_t kKernelFunction = 2; ///< BPF_PSEUDO_KFUNC_CALL

/// Reads the instructions of a loaded program. A function that is not known leaves the test.
Effects effects_of(const bpf_program &program) {
  Effects effects;
  for (const bpf_insn &each :
       std::span(bpf_program__insns(&program), bpf_program__insn_cnt(&program))) {
    if (each.code != (BPF_JMP | BPF_CALL) || each.src_reg == BPF_PSEUDO_CALL)
      continue;
    effects.leaves_test |=
        each.src_reg == kKernelFunction || !std::ranges::binary_search(kHarmless, each.imm);
    effects.uses_random |= each.imm == kRandom;
    effects.calls_others |= each.imm == kTailCall;
  }
  return effects;
}

constexpr int kAttempts = 3;
constexpr std::size_t kLargestOutput = 8192;
constexpr int kNoTestRuns = 524; ///< The kernel's ENOTSUPP, which user space has no name for.

bool has_test_runs(bpf_prog_type type) {
  return type == BPF_PROG_TYPE_XDP || type == BPF_PROG_TYPE_SCHED_CLS ||
         type == BPF_PROG_TYPE_SCHED_ACT || type == BPF_PROG_TYPE_CGROUP_SKB ||
         type == BPF_PROG_TYPE_SOCKET_FILTER;
}

/// The result of one run.
struct Ran {
  int error = 0;
  std::uint32_t verdict = 0;
  std::string packet;
  std::string context;
  bool operator==(const Ran &) const = default;
};

Ran run(int program, bool has_context, const std::string &packet) {
  Ran ran;
  ran.packet.resize(kLargestOutput);
  if (has_context)
    ran.context.resize(sizeof(__sk_buff));
  bpf_test_run_opts options{};
  options.sz = sizeof options;
  options.data_in = packet.data();
  options.data_size_in = static_cast<std::uint32_t>(packet.size());
  options.data_out = ran.packet.data();
  options.data_size_out = static_cast<std::uint32_t>(ran.packet.size());
  if (has_context) {
    options.ctx_out = ran.context.data();
    options.ctx_size_out = static_cast<std::uint32_t>(ran.context.size());
  }
  if (bpf_prog_test_run_opts(program, &options) != 0)
    return {errno, 0, {}, {}};
  ran.verdict = options.retval;
  ran.packet.resize(std::min<std::size_t>(options.data_size_out, kLargestOutput));
  return ran;
}

/// All runs of a program on the same packets and maps.
struct Runs {
  std::vector<Ran> each;
  MapContents maps; ///< Afterwards.
};

/// Keeps the thread on its processor: maps have values of each.
class OnOneProcessor {
public:
  OnOneProcessor() {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(sched_getcpu(), &one);
    is_set_ = sched_getaffinity(0, sizeof before_, &before_) == 0 &&
              sched_setaffinity(0, sizeof one, &one) == 0;
  }
  ~OnOneProcessor() {
    if (is_set_)
      (void)sched_setaffinity(0, sizeof before_, &before_);
  }
  OnOneProcessor(const OnOneProcessor &) = delete;
  OnOneProcessor &operator=(const OnOneProcessor &) = delete;

private:
  cpu_set_t before_{};
  bool is_set_ = false;
};

Result<Runs> run_all(const Object &copy, const MapContents &before, int program, bool has_context,
                     const std::vector<std::string> &packets) {
  if (auto written = write_maps(copy.get(), before); !written)
    return std::unexpected(std::move(written.error()));
  Runs runs;
  for (const std::string &packet : packets)
    runs.each.push_back(run(program, has_context, packet));
  auto maps = read_maps(copy.get());
  if (!maps)
    return std::unexpected(std::move(maps.error()));
  runs.maps = std::move(*maps);
  return runs;
}

std::string text_of(const Ran &ran) {
  if (ran.error != 0)
    return std::string("fails (") + std::strerror(ran.error) + ")";
  return "returns " + std::to_string(ran.verdict);
}

/// The results of two programs in all attempts.
class Attempts {
public:
  Attempts(std::size_t packets, const Object &copy)
      : copy_(copy), agrees_(packets, true), differs_(packets, true) {}

  /// `once` and `again` are of the generic program.
  void add(Runs once, const Runs &again, Runs variant) {
    for (std::size_t i = 0; i < agrees_.size(); ++i) {
      agrees_[i] = agrees_[i] && once.each[i] == again.each[i] &&
                   (first_.each.empty() || once.each[i] == first_.each[i]);
      differs_[i] = differs_[i] && variant.each[i] != once.each[i];
    }
    for (const auto &[name, entries] : once.maps) {
      const bpf_map *map = copy_.map(name);
      const bool agrees = map && is_determined(*map) && entries == again.maps.at(name) &&
                          (first_.each.empty() || entries == first_.maps.at(name));
      if (!agrees)
        undetermined_maps_.insert(name);
      if (variant.maps.at(name) == entries)
        equal_maps_.insert(name);
    }
    first_ = std::move(once);
    variant_ = std::move(variant);
  }

  [[nodiscard]] unsigned compared() const {
    unsigned count = 0;
    for (std::size_t i = 0; i < agrees_.size(); ++i)
      count += agrees_[i] && first_.each[i].error == 0 ? 1 : 0;
    return count;
  }
  /// True if the kernel has refused all test runs, because of the type of the program.
  [[nodiscard]] bool are_refused() const {
    return std::ranges::all_of(first_.each, [](const Ran &ran) {
      return ran.error == kNoTestRuns || ran.error == EOPNOTSUPP;
    });
  }

  /// Empty if nothing differs in all attempts.
  [[nodiscard]] std::string difference(const std::vector<std::string> &packets) const {
    for (std::size_t i = 0; i < agrees_.size(); ++i) {
      if (!agrees_[i] || !differs_[i])
        continue;
      const Ran &generic = first_.each[i];
      const Ran &variant = variant_.each[i];
      const std::string what = "for packet " + std::to_string(i) + " of " +
                               std::to_string(packets[i].size()) + " bytes, it ";
      if (generic.error != variant.error || generic.verdict != variant.verdict)
        return what + text_of(variant) + ", and the generic program " + text_of(generic);
      if (generic.packet != variant.packet)
        return what + "changes the packet to other bytes from byte " +
               std::to_string(std::ranges::mismatch(generic.packet, variant.packet).in1 -
                              generic.packet.begin()) +
               " on";
      return what + "changes the context to other values";
    }
    for (const auto &[name, entries] : first_.maps)
      if (!undetermined_maps_.contains(name) && !equal_maps_.contains(name))
        return "after " + std::to_string(packets.size()) + " packets, map " + name +
               " has other content";
    return {};
  }

private:
  const Object &copy_;
  std::vector<bool> agrees_;  ///< By packet: the generic program agrees with itself.
  std::vector<bool> differs_; ///< The variant has differed each time.
  std::set<std::string> undetermined_maps_;
  std::set<std::string> equal_maps_; ///< Equal at least once.
  Runs first_;                       ///< Of the generic program, in the last attempt.
  Runs variant_;
};

/// The reason why test runs would not do, or say nothing, if there is one.
std::optional<BpfNotCompared> obstacle(const Object &copy, const bpf_program &generic,
                                       const bpf_program &variant) {
  const Effects effects = effects_of(generic);
  if (effects.leaves_test || effects_of(variant).leaves_test)
    return BpfNotCompared::effects;
  if (effects.calls_others) // an array of programs may have been filled when it was created
    for (const bpf_program *each : copy.programs())
      if (effects_of(*each).leaves_test)
        return BpfNotCompared::effects;
  if (effects.uses_random)
    return BpfNotCompared::undetermined;
  return std::nullopt;
}

} // namespace

const Object *TestRuns::copy() {
  if (copy_ || is_refused_)
    return copy_ ? &*copy_ : nullptr;
  is_refused_ = true;
  if (!can_be_copied(live_))
    return nullptr;
  auto loaded =
      Object::load(bytes_, options_.name, options_.name, [&](bpf_object &opened) -> Result<void> {
        create_like(opened, live_);
        bpf_program *program = nullptr;
        bpf_object__for_each_program(program, &opened) {
          const bpf_program *live =
              bpf_object__find_program_by_name(&live_, bpf_program__name(program));
          bpf_program__set_autoload(program, live && bpf_program__fd(live) >= 0);
          if (live)
            set_alike(*program, *live);
        }
        return SharedMaps::constants_of(live_).share_with(opened);
      });
  if (loaded)
    copy_.emplace(std::move(*loaded));
  return copy_ ? &*copy_ : nullptr;
}

Result<Comparison> TestRuns::compare(const core::CodeImage &image, const core::Context &context,
                                     unsigned points) {
  const auto not_compared = [](BpfNotCompared why) { return Comparison{0, why}; };
  if (options_.verify.first_calls == 0)
    return not_compared(BpfNotCompared::off);
  if (std::ranges::any_of(context.configuration,
                          [](const auto &setting) { return !setting.second.guarded; }))
    return not_compared(BpfNotCompared::unguarded);
  const bpf_program *live = bpf_object__find_program_by_name(&live_, context.handler.c_str());
  if (!live || !has_test_runs(bpf_program__type(live)))
    return not_compared(BpfNotCompared::program_type);
  const Object *const copy = this->copy();
  const bpf_program *const generic = copy ? copy->program(context.handler) : nullptr;
  if (!generic)
    return not_compared(BpfNotCompared::maps);
  const auto variant =
      Variant::load(image, options_.name, context, *generic, SharedMaps(copy->get()), points, {});
  if (!variant && variant.error().code == ErrorCode::refused_by_verifier)
    return std::unexpected(variant.error());
  if (!variant)
    return not_compared(BpfNotCompared::maps);
  if (const auto why = obstacle(*copy, *generic, *(*variant)->object().program(image.name)))
    return not_compared(*why);
  auto before = read_maps(live_);
  if (!before)
    return not_compared(BpfNotCompared::maps);
  // The variant was made from this content, which may be older.
  for (const auto &[name, map] : context.kernel->maps)
    for (auto &entries = (*before)[name] = {}; const auto &[key, value] : map.entries)
      entries.emplace(key, value);
  std::vector<std::string> packets = sample_packets(context, options_.verify.first_calls);
  std::ranges::copy(options_.packets, std::back_inserter(packets));
  const bool has_context = bpf_program__type(generic) != BPF_PROG_TYPE_XDP;

  const OnOneProcessor here;
  Attempts attempts(packets.size(), *copy);
  std::string difference;
  for (int i = 0; i < kAttempts && (i == 0 || !difference.empty()); ++i) {
    const auto run_one = [&](int program) {
      return run_all(*copy, *before, program, has_context, packets);
    };
    auto once = run_one(bpf_program__fd(generic));
    auto other = run_one((*variant)->program());
    const auto again = run_one(bpf_program__fd(generic));
    if (!once || !other || !again)
      return not_compared(BpfNotCompared::maps);
    attempts.add(std::move(*once), *again, std::move(*other));
    if (attempts.are_refused())
      return not_compared(BpfNotCompared::program_type);
    difference = attempts.difference(packets);
  }
  if (!difference.empty())
    return std::unexpected(
        Failure{ErrorCode::quarantined, image.name,
                "gave another result than the generic program in a test run: " + difference,
                "use another configuration, and report the handler; SARTOR_VERIFY=off compares "
                "nothing"});
  if (attempts.compared() == 0)
    return not_compared(BpfNotCompared::undetermined);
  return Comparison{attempts.compared(), {}};
}

} // namespace sartor::bpf
