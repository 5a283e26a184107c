// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// random_objects SEED OBJECT...: loads each object twice: as it is, and with a runtime that
/// declares its maps invariant and specializes its handlers (`read...`). The same steps are applied
/// to both: programs are run (`write...` change maps), maps are updated, declared, refreshed.
/// Verdicts, packets and the content of maps must be the same throughout.
#include <array>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sartor/bpf/runtime.hpp>

#include "value.h"

namespace {

constexpr std::array kMaps = {"table", "second", "list"};
constexpr unsigned kSteps = 80;
constexpr unsigned kBytes = 64; // bytes of a packet

/// A loaded object with its programs and maps.
class Loaded {
public:
  explicit Loaded(const std::string &bytes) {
    bpf_object_open_opts options{};
    options.sz = sizeof options;
    object_ = bpf_object__open_mem(bytes.data(), bytes.size(), &options);
    if (!object_ || bpf_object__load(object_) != 0)
      throw std::runtime_error("cannot be loaded: the verifier does not take it");
  }
  ~Loaded() { bpf_object__close(object_); }
  Loaded(const Loaded &) = delete;
  Loaded &operator=(const Loaded &) = delete;

  [[nodiscard]] bpf_object *object() const { return object_; }
  [[nodiscard]] int program(const std::string &name) const {
    return bpf_program__fd(bpf_object__find_program_by_name(object_, name.c_str()));
  }
  [[nodiscard]] int map(const std::string &name) const {
    return bpf_object__find_map_fd_by_name(object_, name.c_str());
  }
  [[nodiscard]] std::vector<std::string> programs(const std::string &prefix) const {
    std::vector<std::string> names;
    bpf_program *program = nullptr;
    bpf_object__for_each_program(program, object_) {
      if (std::string name = bpf_program__name(program); name.starts_with(prefix))
        names.push_back(std::move(name));
    }
    return names;
  }
  /// The content of all maps, ordered by key.
  [[nodiscard]] std::string content() const {
    std::string all;
    for (const char *name : kMaps)
      for (std::uint32_t key = 0; key < kKeys; ++key) {
        struct Value found{};
        const bool is_there = bpf_map_lookup_elem(map(name), &key, &found) == 0;
        all += is_there ? '+' : '-';
        all.append(reinterpret_cast<const char *>(&found), sizeof found);
      }
    return all;
  }

private:
  bpf_object *object_ = nullptr;
};

struct Outcome {
  int error = 0;
  std::uint32_t verdict = 0;
  std::string bytes;
  bool operator==(const Outcome &) const = default;
};

Outcome run(int program, const std::string &packet) {
  std::string out(kBytes + 256, '\0');
  bpf_test_run_opts options{};
  options.sz = sizeof options;
  options.data_in = packet.data();
  options.data_size_in = static_cast<std::uint32_t>(packet.size());
  options.data_out = out.data();
  options.data_size_out = static_cast<std::uint32_t>(out.size());
  const int error = bpf_prog_test_run_opts(program, &options);
  out.resize(error == 0 ? options.data_size_out : 0);
  return {error, options.retval, out};
}

class Trial {
public:
  Trial(const std::string &bytes, unsigned seed)
      : plain_(bytes), adopted_(bytes),
        runtime_(sartor::BpfRuntime::adopt(adopted_.object(), bytes)), random_(seed) {
    for (std::uint32_t key = 0; key < kKeys; ++key)
      for (const char *name : kMaps)
        if (name == std::string("list") || number(3) != 0)
          update(name, key);
    for (const char *name : kMaps)
      if (number(4) != 0) {
        runtime_.declare_invariant(name, sartor::BpfWriters::ours);
        invariant_.insert(name);
      }
    specialize();
  }

  /// Runs all steps; returns the number of comparisons, or a description of a difference.
  std::optional<std::string> run_all() {
    const auto readers = plain_.programs("read");
    const auto writers = plain_.programs("write");
    for (unsigned step = 0; step < kSteps; ++step) {
      std::string what;
      const unsigned kind = number(16);
      if (kind < 4) {
        what = writers[number(static_cast<unsigned>(writers.size()))];
        const std::string packet = some_packet();
        (void)::run(plain_.program(what), packet);
        (void)::run(adopted_.program(what), packet);
      } else if (kind < 11) {
        what = readers[number(static_cast<unsigned>(readers.size()))];
        const std::string packet = some_packet();
        const Outcome expected = ::run(plain_.program(what), packet);
        const Outcome got = ::run(runtime_.program(what), packet);
        folded += runtime_.active(what).remarks.empty() && !invariant_.empty() ? 1 : 0;
        if (got != expected)
          return "step " + std::to_string(step) + ": " + what + " gives " +
                 std::to_string(got.verdict) + ", not " + std::to_string(expected.verdict);
      } else {
        what = change(kind);
      }
      ++cases;
      if (plain_.content() != adopted_.content())
        return "step " + std::to_string(step) + ": maps differ after " + what;
    }
    return std::nullopt;
  }

  unsigned cases = 0;
  unsigned folded = 0; ///< Cases in which the variant has folded all invariant maps.

private:
  unsigned number(unsigned bound) { return static_cast<unsigned>(random_() % bound); }

  std::string some_packet() {
    std::string packet(kBytes, '\0');
    for (char &each : packet)
      each = static_cast<char>(number(3) == 0 ? random_() : number(kKeys));
    return packet;
  }

  void update(const char *map, std::uint32_t key) {
    struct Value some{};
    some.a = number(5);
    some.b[0] = static_cast<std::uint16_t>(number(70000));
    some.b[1] = static_cast<std::uint16_t>(number(3));
    some.c = random_();
    bpf_map_update_elem(plain_.map(map), &key, &some, 0);
    runtime_.update(map, key, some);
  }

  std::string change(unsigned kind) {
    const char *map = kMaps[number(kMaps.size())];
    const std::uint32_t key = number(kKeys);
    switch (kind) {
    case 11:
      runtime_.refresh();
      return "refresh";
    case 12:
      if (invariant_.contains(map))
        runtime_.revoke(map);
      if (!invariant_.insert(map).second)
        invariant_.erase(map);
      else
        runtime_.declare_invariant(map, sartor::BpfWriters::ours);
      specialize();
      return "invariant";
    case 13:
      specialize();
      return "specialize";
    default:
      if (map != std::string("list") && number(3) == 0) {
        if (bpf_map_delete_elem(plain_.map(map), &key) == 0)
          runtime_.erase(map, {reinterpret_cast<const char *>(&key), sizeof key});
        return "erase";
      }
      update(map, key);
      return "update";
    }
  }

  void specialize() {
    sartor::Configuration configuration;
    for (const sartor::Point &point : runtime_.space().points())
      if (!point.handlers.empty() && number(2) == 0)
        configuration.set(point.label, number(4));
    runtime_.specialize(configuration);
  }

  Loaded plain_, adopted_;
  sartor::BpfRuntime runtime_;
  std::mt19937 random_;
  std::set<std::string> invariant_;
};

} // namespace

int main(int count, char **arguments) {
  libbpf_set_print([](libbpf_print_level, const char *, va_list) { return 0; });
  const unsigned seed = static_cast<unsigned>(std::strtoul(arguments[1], nullptr, 10));
  unsigned cases = 0, folded = 0, unused = 0, differences = 0;
  for (int i = 2; i < count; ++i) {
    std::ifstream file(arguments[i], std::ios::binary);
    const std::string bytes(std::istreambuf_iterator<char>(file), {});
    std::unique_ptr<Trial> trial;
    try {
      trial = std::make_unique<Trial>(bytes, seed + static_cast<unsigned>(i));
    } catch (const std::runtime_error &error) {
      ++unused;
      std::fprintf(stderr, "%s: %s\n", arguments[i], error.what());
      continue;
    }
    try {
      if (const auto difference = trial->run_all()) {
        ++differences;
        std::printf("DIFFERENT %s: %s\n", arguments[i], difference->c_str());
      }
    } catch (const sartor::Error &error) {
      ++differences;
      std::printf("DIFFERENT %s: %s\n", arguments[i], error.what());
    }
    cases += trial->cases;
    folded += trial->folded;
  }
  std::printf(
      "%d objects, %u not taken by the verifier, %u cases, %u of variants in which all folds, %u "
      "differences\n",
      count - 2, unused, cases, folded, differences);
  return differences == 0 && cases > 0 ? 0 : 1;
}
