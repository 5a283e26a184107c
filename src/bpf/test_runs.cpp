// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bpf/test_runs.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

#include <sched.h>

#include <bpf/bpf.h>

#include "bpf/map_copies.h"
#include "bpf/sample_packets.h"
#include "bpf/shared_maps.h"
#include "bpf/test_effects.h"

namespace sartor::bpf {

namespace {

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
