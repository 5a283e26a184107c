// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mutants/random/trial.h"

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <new>
#include <random>
#include <thread>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sartor/runtime.hpp>

extern "C" __attribute__((noinline)) long random_handlers_outside(long one, long other) {
  return (one ^ (one >> 9)) * 7 + other;
}

namespace {

using namespace std::chrono_literals;
using Bound = long(char *, long, long);

constexpr unsigned kMostPlaces = 8;
constexpr unsigned kInputs = 400;
constexpr unsigned kMostDeaths = 6;
constexpr double kLargeBudget = 0.01;
// First calls are over if none of so many in a row is compared.
constexpr unsigned kNotCompared = 60;
constexpr unsigned kMostFirstCalls = 3000;
constexpr unsigned kCallsAfter = 200;
constexpr unsigned kMostMissed = 3;
// At first about 10,000 calls a second, and then 1,000, as of a server.
constexpr auto kBetweenCalls = 50us;
constexpr auto kBetweenLateCalls = 1ms;
constexpr auto kUntilReported = 300ms;
constexpr auto kMostLate = 20s;
constexpr unsigned kMostUncompared = 300'000;

const Weights weights{41, 10, {3, 1, 4, 1, 5, 9, 2, 6}};

/// Memory that child processes write to.
template <class T> class Shared {
public:
  Shared()
      : value_(new (mmap(nullptr, sizeof(T), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                         0)) T) {}
  ~Shared() { munmap(value_, sizeof(T)); }
  Shared(const Shared &) = delete;
  Shared &operator=(const Shared &) = delete;
  T &operator*() const { return *value_; }
  T *operator->() const { return value_; }

private:
  T *value_;
};

/// Runs it in a child process, which may die.
void in_child(const std::function<void()> &body) {
  const pid_t child = fork();
  if (child == 0) {
    const rlimit seconds{60, 60};
    setrlimit(RLIMIT_CPU, &seconds);
    const rlimit none{0, 0};
    setrlimit(RLIMIT_CORE, &none);
    alarm(120);
    try {
      body();
    } catch (const std::exception &) {
      _exit(1);
    }
    _exit(0);
  }
  waitpid(child, nullptr, 0);
}

/// The result of a call, and what it has written.
struct Observed {
  long result;
  std::array<char, RANDOM_OUT_BYTES> out;
  bool operator==(const Observed &) const = default;
};

template <class Call> Observed observe(const Input &input, Call call) {
  Observed observed{};
  observed.out.fill(3);
  observed.result = call(observed.out.data(), input.a, input.b);
  return observed;
}

Observed native_result(const RandomHandler &handler, const Input &input) {
  return observe(input,
                 [&](char *out, long a, long b) { return handler.native(&weights, out, a, b); });
}

std::array<Input, kInputs> random_inputs() {
  std::minstd_rand random(1);
  std::array<Input, kInputs> inputs{};
  for (Input &input : inputs)
    input = {static_cast<long>(random() % 800) - 300, static_cast<long>(random() % 800) - 300};
  return inputs;
}

/// A runtime with a variant of a handler.
class Specialized {
public:
  Specialized(const RandomHandler &handler, const sartor::Options &options) : runtime_(options) {
    invariant_.add(&weights, sizeof weights);
    runtime_.specialize({{std::string(handler.name) + ".mode", 1}});
    const std::map<unsigned, sartor::BoundArgument> arguments{
        {0, reinterpret_cast<std::uintptr_t>(&weights)}};
    share_.emplace(runtime_.bind(handler.name, arguments));
    share_->wait();
    bound_ = reinterpret_cast<Bound *>(share_->function(arguments));
  }

  [[nodiscard]] Bound *function() const { return bound_; }
  [[nodiscard]] sartor::Statistics statistics() const { return runtime_.statistics(); }

private:
  sartor::Invariant invariant_;
  sartor::Runtime runtime_;
  std::optional<sartor::detail::Share> share_;
  Bound *bound_ = nullptr;
};

void choose(const std::string &kind, unsigned place) {
  setenv("SARTOR_MUTANT", (kind + ":" + std::to_string(place)).c_str(), 1);
}

/// The text that is written to standard error while it exists.
class Log {
public:
  Log() : file_(memfd_create("log", 0)) { dup2(file_, STDERR_FILENO); }
  ~Log() { close(file_); }
  Log(const Log &) = delete;
  Log &operator=(const Log &) = delete;
  void clear() const {
    (void)ftruncate(file_, 0);
    lseek(STDERR_FILENO, 0, SEEK_SET);
  }
  [[nodiscard]] std::string text() const {
    std::string text(4096, '\0');
    text.resize(
        static_cast<std::size_t>(std::max<ssize_t>(pread(file_, text.data(), text.size(), 0), 0)));
    return text;
  }

private:
  int file_;
};

struct Progress {
  Place place;
  unsigned next = 0;       ///< Input.
  bool is_calling = false; ///< The call with the input before.
};

void add(Place &place, const Input &input, bool is_showing) {
  if (is_showing && place.showing < place.showing_inputs.size())
    place.showing_inputs[place.showing++] = input;
  if (!is_showing && place.others < place.other_inputs.size())
    place.other_inputs[place.others++] = input;
}

/// Calls the variant with all inputs.
void classify(const RandomHandler &handler, Bound *variant, Progress &progress) {
  static const auto inputs = random_inputs();
  for (unsigned deaths = 0; progress.next < kInputs && deaths < kMostDeaths; ++deaths) {
    in_child([&] {
      while (progress.next < kInputs) {
        const Input &input = inputs[progress.next++];
        const Observed native = native_result(handler, input);
        progress.is_calling = true;
        const itimerval limit{{}, {0, 100'000}};
        setitimer(ITIMER_VIRTUAL, &limit, nullptr);
        const Observed other = observe(input, variant);
        progress.is_calling = false;
        add(progress.place, input, !(native == other));
      }
    });
    if (std::exchange(progress.is_calling, false))
      add(progress.place, inputs[progress.next - 1], true);
  }
}

sartor::Options options(const sartor::Verification &verify, const std::filesystem::path &state) {
  sartor::Options options;
  options.verify = verify;
  options.state_directory = state;
  options.quick_tier = false;
  return options;
}

/// Calls, and counts the result if it is wrong.
void call(const RandomHandler &handler, Bound *function, const Input &input, unsigned &wrong) {
  const Observed native = native_result(handler, input);
  ++wrong; // if it does not return
  if (observe(input, function) == native)
    --wrong;
}

bool is_detected(const Specialized &specialized, std::chrono::milliseconds patience) {
  const auto end = std::chrono::steady_clock::now() + patience;
  while (specialized.statistics().differences == 0) {
    if (std::chrono::steady_clock::now() > end)
      return false;
    std::this_thread::sleep_for(100us);
  }
  return true;
}

/// True if more calls may be made until the mutant is detected. On a machine that is busy, the
/// first ones are made before the code that compares them.
bool may_go_on(const Compared &compared, const Specialized &specialized) {
  return compared.calls < kMostCalls ||
         (compared.calls < kMostUncompared && specialized.statistics().verified == 0);
}

void compare_calls(const RandomHandler &handler, const Place &place, const Specialized &specialized,
                   std::chrono::microseconds between, Compared &compared) {
  const auto showing = [&](unsigned number) {
    return place.showing_inputs[number % place.showing];
  };
  while (may_go_on(compared, specialized) && compared.detected_at == 0) {
    const std::uint64_t before = specialized.statistics().verified;
    call(handler, specialized.function(), showing(compared.calls++), compared.wrong_before);
    if (specialized.statistics().verified != before && compared.missed < kMostMissed) {
      if (is_detected(specialized, kUntilReported))
        compared.detected_at = compared.calls;
      else
        ++compared.missed;
    }
    std::this_thread::sleep_for(between);
  }
  // A variant that has differed is not compared again: its report may be late.
  if (compared.detected_at == 0 && compared.missed != 0 && is_detected(specialized, kMostLate))
    compared.detected_at = compared.calls;
  for (unsigned i = 0; compared.detected_at != 0 && i < kCallsAfter; ++i)
    call(handler, specialized.function(), showing(i), compared.wrong_after);
}

/// Calls with other inputs until the first calls have been compared.
void make_first_calls(const Place &place, const Specialized &specialized) {
  std::uint64_t compared = 0;
  for (unsigned i = 0, since = 0; i < kMostFirstCalls && since < kNotCompared; ++i, ++since) {
    (void)observe(place.other_inputs[i % place.others], specialized.function());
    const std::uint64_t before = std::exchange(compared, specialized.statistics().verified);
    if (compared == 0 || compared != before) // the code that compares is still to come, or compares
      since = 0;
    std::this_thread::sleep_for(kBetweenCalls);
  }
}

} // namespace

Place find_place(const std::string &kind, const RandomHandler &handler) {
  const Shared<Place> found;
  in_child([&] {
    const Log log;
    for (unsigned number = 0; number < kMostPlaces && found->showing == 0; ++number) {
      choose(kind, number);
      log.clear();
      const Specialized specialized(handler, options(sartor::Verification::off(), {}));
      if (log.text().find(": changed ") == std::string::npos)
        return;
      const Shared<Progress> progress;
      classify(handler, specialized.function(), *progress);
      *found = progress->place;
      found->number = number;
    }
  });
  return *found;
}

Compared compare(const std::string &kind, const Place &place, const RandomHandler &handler,
                 Begin begin) {
  std::string state = (std::filesystem::temp_directory_path() / "mutants.XXXXXX").string();
  if (!mkdtemp(state.data()))
    return {};
  const Shared<Compared> compared;
  in_child([&] {
    const Log log;
    choose(kind, place.number);
    auto verify = sartor::Verification::on();
    if (begin == Begin::late_large_budget)
      verify.budget = kLargeBudget;
    const Specialized specialized(handler, options(verify, state));
    if (begin != Begin::at_once)
      make_first_calls(place, specialized);
    compare_calls(handler, place, specialized,
                  begin == Begin::at_once ? kBetweenCalls : kBetweenLateCalls, *compared);
    compared->has_ended = true;
  });
  std::filesystem::remove_all(state);
  return *compared;
}
