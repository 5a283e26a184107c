// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Quasi-invariants that are weighed while a program runs and other threads interfere.
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include <sartor/sartor.hpp>

#include "comes_true.h"
#include "handlers/modulus.h"
#include "logged.h"

namespace {

using namespace std::chrono_literals;
using sartor::_;
using sartor::Economy;
using sartor::ErrorCode;
using sartor::Objective;
using sartor::QuasiInvariant;
using sartor::QuasiInvariantOptions;
using sartor::Worth;
using sartor::Write;
using testing::HasSubstr;

ErrorCode code_of(const std::function<void()> &call) {
  try {
    call();
  } catch (const sartor::Error &error) {
    return error.code();
  }
  ADD_FAILURE() << "no error";
  return {};
}

constexpr const char *kTooBusy = "this machine is too busy to measure the gain: ";

class Weighing : public Logged {
protected:
  Weighing() {
    // At most; on a loaded machine the caller gets little of each second.
    options_.windows.confirm_for = 4s;
    options_.windows.regression_budget = 1;
    begin();
  }
  ~Weighing() override { end(); }

  QuasiInvariant quasi_invariant(QuasiInvariantOptions options = {}) const {
    QuasiInvariant made("divisor", std::move(options));
    made.add_fields(modulus_, &Modulus::by);
    return made;
  }

  /// Calls the handler continuously and compares with the results of the native code.
  void begin() {
    caller_ = std::thread([this] {
      for (std::uint64_t i = 0; !stop_; ++i) {
        const std::uint64_t before = __atomic_load_n(&modulus_.by, __ATOMIC_SEQ_CST);
        const std::uint64_t got = (*binding_)(i);
        const std::uint64_t after = __atomic_load_n(&modulus_.by, __ATOMIC_SEQ_CST);
        const Modulus copy{before};
        if (before == after && i % 16 == 0 && got != reduced(&copy, i))
          ++wrong_;
        ++calls_;
      }
    });
  }
  void end() {
    stop_ = true;
    if (caller_.joinable())
      caller_.join();
    EXPECT_EQ(wrong_, 0);
  }

  Economy weigh(const QuasiInvariant &quasi_invariant) {
    const auto calls = Objective::rate_of(calls_, "calls");
    Economy economy = sartor::weigh(runtime_, quasi_invariant, calls, options_);
    // On a busy machine, one measurement may not be enough to decide. Later ones find the variants
    // of the first, so that what these cost is added.
    const auto may_decide_later = [&] {
      return is_undecided(economy) || has_no_samples(economy) ||
             (needs_gain_ && is_gain_open(economy));
    };
    for (int i = 0; i < 5 && may_decide_later(); ++i) {
      const Economy before = economy;
      economy = sartor::weigh(runtime_, quasi_invariant, calls, options_);
      economy.made += before.made;
      economy.specializing += before.specializing;
    }
    return economy;
  }
  static bool is_undecided(const Economy &economy) {
    return economy.missing == "the interval of the gain is too wide" ||
           economy.missing ==
               "it has not been valid long enough to estimate how often it is invalidated";
  }
  /// No sample was possible for some seconds, as if the machine stops.
  static bool has_no_samples(const Economy &economy) {
    return economy.worth == Worth::not_sure &&
           (economy.missing == "it is invalidated too often for a sample" ||
            economy.missing == "no active code depends on it" ||
            economy.missing == "it does not become valid");
  }
  /// The sign of the gain is not known, although the verdict may be sure.
  static bool is_gain_open(const Economy &economy) {
    return economy.gain.low <= 0 && economy.gain.high > 0;
  }

  Modulus modulus_{4096};
  sartor::Runtime runtime_{logged()};
  using Bound = decltype(runtime_.bind<&reduced>(static_cast<const Modulus *>(nullptr), _));
  std::unique_ptr<Bound> binding_ =
      std::make_unique<Bound>(runtime_.bind<&reduced>(static_cast<const Modulus *>(&modulus_), _));
  std::atomic<std::uint64_t> calls_ = 0;
  std::atomic<bool> stop_ = false;
  std::atomic<int> wrong_ = 0;
  std::thread caller_;
  sartor::EconomyOptions options_;
  bool needs_gain_ = true; ///< The test examines the sign of the gain.
};

TEST_F(Weighing, FindsThatAQuasiInvariantPaysThatNobodyInvalidates) {
  const auto divisor = quasi_invariant();
  const Economy economy = weigh(divisor);
  if (is_undecided(economy))
    GTEST_SKIP() << kTooBusy << economy.json();
  EXPECT_EQ(economy.worth, Worth::worth_it) << economy.json();
  EXPECT_EQ(economy.missing, "");
  EXPECT_GT(economy.gain.low, 0);
  EXPECT_GT(economy.gain.windows, 1U);
  EXPECT_GT(economy.gain_per_call.low, 0);
  EXPECT_LE(economy.gain_per_call.low, economy.gain_per_call.mean);
  EXPECT_GE(economy.made, 1U);
  EXPECT_GT(economy.specializing, 0);
  EXPECT_EQ(economy.invalidated, 0U);
  EXPECT_EQ(economy.seconds_left_alone, 0);
  EXPECT_TRUE(divisor.valid());
  EXPECT_EQ(divisor.figures().invalidated, 0U); // nothing was written
  EXPECT_THAT(log(), HasSubstr(R"("event":"economy","quasi_invariant":"divisor")"));
  EXPECT_THAT(log(), HasSubstr(R"("worth":"worth it")"));
}

TEST_F(Weighing, MeasuresAQuasiInvariantThatIsInvalidatedNowAndThen) {
  QuasiInvariantOptions often;
  often.back_off = often.longest_back_off = 1ms;
  auto divisor = quasi_invariant(often);
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    while (!stop) {
      std::this_thread::sleep_for(100ms);
      const Write write(divisor); // the same value again, and so the same code
      __atomic_store_n(&modulus_.by, 4096, __ATOMIC_SEQ_CST);
    }
  });
  const Economy economy = weigh(divisor);
  stop = true;
  writer.join();
  if (is_undecided(economy) || is_gain_open(economy))
    GTEST_SKIP() << kTooBusy << economy.json();
  EXPECT_GT(economy.gain.low, 0) << economy.json();
  EXPECT_GT(economy.invalidated, 0U);
  EXPECT_GT(economy.invalidating.mean, 0);
  EXPECT_TRUE(divisor.wait_until_valid(kPatience));
}

TEST_F(Weighing, LeavesAQuasiInvariantAloneThatIsInvalidatedAsSoonAsItIsValid) {
  QuasiInvariantOptions often;
  often.back_off = often.longest_back_off = 1ms;
  auto divisor = quasi_invariant(often);
  std::atomic<bool> stop = false;
  std::thread writer([&] {
    while (!stop)
      if (divisor.wait_until_valid(10ms)) {
        const Write write(divisor);
        __atomic_fetch_add(&modulus_.by, 1, __ATOMIC_SEQ_CST);
      }
  });
  ASSERT_TRUE(comes_true([&] { return divisor.figures().made >= 3; }));
  options_.leave_alone_for = 1s;
  needs_gain_ = false;
  Economy economy = weigh(divisor);
  // While the writer does not run, the quasi-invariant pays.
  for (int i = 0; i < 3 && economy.worth != Worth::not_worth_it; ++i)
    economy = weigh(divisor);
  const auto held = divisor.figures().held;
  EXPECT_EQ(economy.worth, Worth::not_worth_it) << economy.json();
  EXPECT_EQ(economy.seconds_left_alone, 1);
  EXPECT_LT(economy.benefit.high, economy.cost.low);
  EXPECT_LE(divisor.figures().held, held + 1); // since then at most once, at its end
  EXPECT_TRUE(comes_true([&] { return divisor.figures().held > held + 1; }));
  stop = true;
  writer.join();
  EXPECT_THAT(log(), HasSubstr(R"("worth":"not worth it","missing":)"));
}

TEST_F(Weighing, SaysWhatIsWrongWithAQuasiInvariantThatNothingDependsOn) {
  const Modulus other{7};
  QuasiInvariant lonely("lonely");
  lonely.add_fields(other, &Modulus::by);
  ASSERT_TRUE(lonely.wait_until_valid(kPatience));
  const Economy economy =
      sartor::weigh(runtime_, lonely, Objective::rate_of(calls_, "calls"), options_);
  EXPECT_EQ(economy.worth, Worth::not_sure);
  EXPECT_EQ(economy.missing, "no active code depends on it");
  EXPECT_EQ(economy.gain.windows, 0U);
}

TEST_F(Weighing, AnswersWritersAsIfTheQuasiInvariantWereValid) {
  QuasiInvariantOptions refusing;
  refusing.refuse = [](void *, std::size_t) { return true; };
  const auto divisor = quasi_invariant(refusing);
  ASSERT_TRUE(divisor.wait_until_valid(kPatience));
  std::atomic<bool> stop = false;
  std::atomic<int> written = 0;
  std::thread writer([&] {
    for (; !stop; std::this_thread::sleep_for(100us))
      if (const Write write(divisor); write)
        ++written;
  });
  const Economy economy = weigh(divisor);
  stop = true;
  writer.join();
  EXPECT_EQ(written, 0);
  if (is_undecided(economy))
    GTEST_SKIP() << kTooBusy << economy.json();
  EXPECT_GT(economy.gain.low, 0) << economy.json();
}

TEST_F(Weighing, EndsWithAnErrorWhereTheQuasiInvariantIsDestroyed) {
  auto divisor = std::make_unique<QuasiInvariant>(quasi_invariant());
  const QuasiInvariant &weighed = *divisor;
  options_.windows.confirm_for = 10min;
  std::thread destroyer([&] {
    EXPECT_TRUE(comes_true([&] { return runtime_.statistics().replugs >= 3; })); // while sampling
    divisor.reset();
  });
  EXPECT_EQ(code_of([&] { weigh(weighed); }), ErrorCode::bad_invariant);
  destroyer.join();
}

TEST_F(Weighing, LeavesTheQuasiInvariantValidWhereItIsStoppedOrTheObjectiveThrows) {
  const auto divisor = quasi_invariant();
  std::stop_source stop;
  int reads = 0;
  Objective throws = Objective::rate_of(calls_);
  throws.read = [&] {
    if (++reads > 200)
      throw std::runtime_error("no more");
    return static_cast<double>(calls_);
  };
  options_.windows.confirm_for = 10min;
  EXPECT_THROW(sartor::weigh(runtime_, divisor, throws, options_), std::runtime_error);
  EXPECT_TRUE(divisor.wait_until_valid(kPatience));
  std::thread stopper([&] {
    std::this_thread::sleep_for(50ms);
    stop.request_stop();
  });
  const Economy economy =
      sartor::weigh(runtime_, divisor, Objective::rate_of(calls_), options_, stop.get_token());
  stopper.join();
  EXPECT_TRUE(divisor.valid());
  EXPECT_EQ(economy.missing, "it was stopped");
}

TEST_F(Weighing, RefusesWhatCannotBe) {
  const auto divisor = quasi_invariant();
  EXPECT_EQ(code_of([&] { sartor::weigh(runtime_, divisor, Objective()); }),
            ErrorCode::bad_objective);
  EXPECT_EQ(code_of([&] { sartor::weigh(runtime_, divisor, Objective::cost_of_call("reduced")); }),
            ErrorCode::bad_objective);
  for (const auto time : {-1ns, std::chrono::nanoseconds::max()}) {
    options_.leave_alone_for = time;
    EXPECT_EQ(code_of([&] { weigh(divisor); }), ErrorCode::bad_objective);
  }
  options_.leave_alone_for = 0ns;
  options_.windows.confirm_for = 10min;
  std::stop_source stop;
  std::thread other([&] {
    sartor::weigh(runtime_, divisor, Objective::rate_of(calls_), options_, stop.get_token());
  });
  ASSERT_TRUE(comes_true([&] { return runtime_.statistics().replugs > 0; }));
  EXPECT_EQ(code_of([&] { weigh(divisor); }), ErrorCode::already_exploring);
  stop.request_stop();
  other.join();

  static std::function<void()> inside;
  inside = [&] { weigh(divisor); };
  EXPECT_EQ(code_of([&] { runtime_.handler<&within_handler>()([] { inside(); }); }),
            ErrorCode::called_from_handler);
}

TEST_F(Weighing, IsNotSureWhereNothingIsSpecialized) {
  setenv("SARTOR", "off", 1);
  sartor::Runtime off;
  unsetenv("SARTOR");
  const auto divisor = quasi_invariant();
  const Economy economy = sartor::weigh(off, divisor, Objective::rate_of(calls_), options_);
  EXPECT_EQ(economy.worth, Worth::not_sure);
  EXPECT_THAT(economy.missing, HasSubstr("not active"));
}

// If the weighing thread continues only in the parent, the quasi-invariant becomes valid in the
// child nevertheless.
TEST_F(Weighing, LetsTheQuasiInvariantBeValidInAChild) {
  const auto divisor = quasi_invariant();
  options_.windows.confirm_for = 10min;
  std::stop_source stop;
  std::thread other([&] {
    sartor::weigh(runtime_, divisor, Objective::rate_of(calls_), options_, stop.get_token());
  });
  ASSERT_TRUE(comes_true([&] { return runtime_.statistics().replugs >= 2; }));
  const pid_t child = fork();
  if (child == 0)
    _exit(divisor.wait_until_valid(kPatience) ? 0 : 1);
  int status = -1;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0);
  stop.request_stop();
  other.join();
}

} // namespace
