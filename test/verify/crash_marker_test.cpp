// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/verify/crash_marker.h"

#include <atomic>
#include <csetjmp>
#include <csignal>
#include <cstring>
#include <fstream>
#include <functional>
#include <ostream>
#include <thread>
#include <vector>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gmock/gmock.h>

#include "core/quarantine/quarantine.h"
#include "runtime/signals/fault_handlers.h"
#include "state_for_test.h"

namespace sartor {
namespace {

namespace fs = std::filesystem;
using core::Quarantine;
using core::QuarantineEntry;
using runtime::CrashMarker;
using runtime::FaultHandlers;
using test::key_named;
using testing::SizeIs;

constexpr std::size_t kPage = 4096;

/// Code of one page: `bytes`, then `ret`. Its argument is in RDI.
class Code {
public:
  explicit Code(const std::vector<unsigned char> &bytes)
      : code_(static_cast<unsigned char *>(
            mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {
    std::memcpy(code_, bytes.data(), bytes.size());
    code_[bytes.size()] = 0xc3;
    mprotect(code_, kPage, PROT_READ | PROT_EXEC);
  }
  ~Code() { munmap(code_, kPage); }
  Code(const Code &) = delete;
  Code &operator=(const Code &) = delete;

  [[nodiscard]] unsigned char *begin() const { return code_; }
  void operator()(void *argument = nullptr) const {
    reinterpret_cast<void (*)(void *)>(code_)(argument);
  }

private:
  unsigned char *code_;
};

const std::vector<unsigned char> kLoad{0x48, 0x8b, 0x07};                     // mov (%rdi), %rax
const std::vector<unsigned char> kStore{0xc6, 0x07, 0x01};                    // movb $1, (%rdi)
const std::vector<unsigned char> kIllegal{0x90, 0x0f, 0x0b};                  // nop; ud2
const std::vector<unsigned char> kTrap{0xcc};                                 // int3
const std::vector<unsigned char> kDivide{0x31, 0xc9, 0x31, 0xd2, 0xf7, 0xf1}; // divides by zero

class CrashMarkers : public test::StateForTest {
protected:
  /// The wait status of a child in which `work` runs. The signals have the
  /// default action at first, even if the test's process has installed handlers.
  static int status_of(const std::function<void()> &work) {
    const pid_t child = fork();
    if (child == 0) {
      const rlimit none{0, 0};
      setrlimit(RLIMIT_CORE, &none);
      for (const int each : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP})
        signal(each, SIG_DFL);
      work();
      _exit(0);
    }
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return status;
  }
  /// The signal that ends such a child; 0 if none did.
  static int signal_of(const std::function<void()> &work) {
    const int status = status_of(work);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }
  [[nodiscard]] CrashMarker cover(const Code &code, const std::string &name = "blend") const {
    const auto marker = CrashMarker::install(state());
    marker->cover(code.begin(), kPage, key_named(name), name + "{B=16}");
    return *marker;
  }
  /// The entries that the markers become.
  [[nodiscard]] std::vector<QuarantineEntry> crashes() const {
    const auto taken = Quarantine(state()).take_crashes();
    EXPECT_TRUE(taken) << taken.error().text();
    return taken.value_or(std::vector<QuarantineEntry>());
  }
};

struct Kind {
  const char *name;
  int signal;
  const std::vector<unsigned char> *code;
};

void PrintTo(const Kind &kind, std::ostream *out) { *out << kind.name; }

class EachCrash : public CrashMarkers, public testing::WithParamInterface<Kind> {};

TEST_P(EachCrash, LeavesAMarkerAndDiesAsBefore) {
  const Code code(*GetParam().code);
  const fs::path file = path("file");
  std::ofstream(file).flush();
  EXPECT_EQ(signal_of([&] {
              (void)cover(code);
              void *argument = nullptr;
              if (GetParam().signal == SIGBUS) { // a mapping beyond the end of a file
                const int opened = open(file.c_str(), O_RDONLY);
                argument = mmap(nullptr, kPage, PROT_READ, MAP_PRIVATE, opened, 0);
              }
              code(argument);
            }),
            GetParam().signal);
  const auto entries = crashes();
  ASSERT_THAT(entries, SizeIs(1));
  EXPECT_EQ(entries[0].key, base::to_text(key_named("blend").hash));
  EXPECT_EQ(entries[0].reason, core::QuarantineReason::crashed);
  EXPECT_EQ(entries[0].signal, GetParam().signal);
  EXPECT_EQ(entries[0].variant, "blend{B=16}");
  EXPECT_EQ(entries[0].handler, "blend");
  EXPECT_GT(entries[0].first, 0);
  EXPECT_TRUE(Quarantine(state()).contains(key_named("blend").hash));
  EXPECT_THAT(*Quarantine(state()).list(), testing::ElementsAre(entries[0]));
}

INSTANTIATE_TEST_SUITE_P(Signals, EachCrash,
                         testing::Values(Kind{"Load", SIGSEGV, &kLoad},
                                         Kind{"Illegal", SIGILL, &kIllegal},
                                         Kind{"Trap", SIGTRAP, &kTrap},
                                         Kind{"Divide", SIGFPE, &kDivide},
                                         Kind{"Bus", SIGBUS, &kLoad}),
                         [](const auto &each) { return each.param.name; });

TEST_F(CrashMarkers, CountProcesses) {
  const Code code(kIllegal);
  for (int i = 0; i < 3; ++i)
    EXPECT_EQ(signal_of([&] {
                (void)cover(code);
                code();
              }),
              SIGILL);
  EXPECT_THAT(crashes(), SizeIs(3));
  EXPECT_EQ(Quarantine(state()).list()->front().processes, 3U);
}

TEST_F(CrashMarkers, AFaultElsewhereLeavesNone) {
  const Code covered(kIllegal);
  const Code other(kLoad);
  EXPECT_EQ(signal_of([&] {
              (void)cover(covered);
              other();
            }),
            SIGSEGV);
  EXPECT_EQ(signal_of([&] {
              (void)cover(covered);
              CrashMarker::uncover(covered.begin());
              covered();
            }),
            SIGILL);
  EXPECT_FALSE(fs::exists(state()));
}

TEST_F(CrashMarkers, ASignalThatAProcessSendsLeavesNone) {
  const Code code(kIllegal);
  for (const int each : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP})
    EXPECT_EQ(signal_of([&] {
                (void)cover(code);
                kill(getpid(), each);
                pause();
              }),
              each);
  EXPECT_FALSE(fs::exists(state()));
}

/// The signal that the program's own handler has seen; shared with the test's process.
struct Seen {
  std::atomic<int> calls;
  int signal;
  int code;
  void *address;
  std::uintptr_t instruction;
  bool on_alternate_stack;
  bool others_blocked;
};
Seen *seen = nullptr;
stack_t alternate{};
sigjmp_buf back;

void own_handler(int signal, siginfo_t *info, void *context) {
  const int local = 0;
  const auto *here = reinterpret_cast<const char *>(&local);
  const auto *begin = static_cast<const char *>(alternate.ss_sp);
  sigset_t mask;
  sigprocmask(SIG_BLOCK, nullptr, &mask);
  seen->signal = signal;
  seen->code = info->si_code;
  seen->address = info->si_addr;
  seen->instruction =
      static_cast<std::uintptr_t>(static_cast<ucontext_t *>(context)->uc_mcontext.gregs[REG_RIP]);
  seen->on_alternate_stack = begin && here >= begin && here < begin + alternate.ss_size;
  seen->others_blocked = sigismember(&mask, SIGUSR1) == 1;
  if (seen->calls++ == 0)
    siglongjmp(back, 1);
  _exit(1);
}

class OwnHandler : public CrashMarkers {
protected:
  OwnHandler() {
    seen =
        new (mmap(nullptr, sizeof(Seen), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))
            Seen();
  }
  ~OwnHandler() override { munmap(seen, sizeof(Seen)); }

  static void install_own(int signal, int flags) {
    struct sigaction action = {};
    action.sa_sigaction = own_handler;
    action.sa_flags = SA_SIGINFO | flags;
    sigaction(signal, &action, nullptr);
  }
  void expect_seen(const Code &code) const {
    EXPECT_EQ(seen->calls, 1);
    EXPECT_EQ(seen->signal, SIGSEGV);
    EXPECT_EQ(seen->code, SEGV_MAPERR);
    EXPECT_EQ(seen->address, reinterpret_cast<void *>(8));
    EXPECT_EQ(seen->instruction, reinterpret_cast<std::uintptr_t>(code.begin()));
    EXPECT_FALSE(seen->others_blocked);
    EXPECT_THAT(crashes(), SizeIs(1));
  }
  /// The program leaves its handler, and goes on.
  static void fault(const Code &code) {
    if (sigsetjmp(back, 1) == 0)
      code(reinterpret_cast<void *>(8));
  }
};

TEST_F(OwnHandler, IsCalledWithTheSameInformation) {
  const Code code(kLoad);
  EXPECT_EQ(status_of([&] {
              install_own(SIGSEGV, 0);
              (void)cover(code);
              fault(code);
            }),
            0);
  expect_seen(code);
}

TEST_F(OwnHandler, ThatIsInstalledLaterIsCalledToo) {
  const Code first(kIllegal);
  const Code code(kLoad);
  EXPECT_EQ(status_of([&] {
              const CrashMarker marker = cover(first, "first");
              install_own(SIGSEGV, 0); // replaces Sartor's
              marker.cover(code.begin(), kPage, key_named("blend"), "blend{B=16}");
              fault(code);
            }),
            0);
  expect_seen(code);
}

TEST_F(OwnHandler, ThatIsInstalledAgainAndAgainIsCalledOnce) {
  const Code code(kLoad);
  EXPECT_EQ(status_of([&] {
              for (int i = 0; i < 40; ++i) {
                install_own(SIGSEGV, 0);
                (void)cover(code);
              }
              fault(code);
            }),
            0);
  expect_seen(code);
}

TEST_F(OwnHandler, RunsOnTheAlternateStack) {
  const Code code(kLoad);
  EXPECT_EQ(status_of([&] {
              std::vector<char> memory(static_cast<std::size_t>(SIGSTKSZ));
              alternate.ss_sp = memory.data();
              alternate.ss_size = memory.size();
              sigaltstack(&alternate, nullptr);
              install_own(SIGSEGV, SA_ONSTACK);
              (void)cover(code);
              fault(code);
            }),
            0);
  expect_seen(code);
  EXPECT_TRUE(seen->on_alternate_stack);
}

TEST_F(OwnHandler, OfAnotherFaultIsCalledWithoutAMarker) {
  const Code covered(kIllegal);
  const Code other(kLoad);
  EXPECT_EQ(status_of([&] {
              install_own(SIGSEGV, 0);
              (void)cover(covered);
              fault(other);
            }),
            0);
  EXPECT_EQ(seen->calls, 1);
  EXPECT_FALSE(fs::exists(state()));
}

TEST_F(OwnHandler, ForOneSignalOnlyLeavesTheNextToTheSystem) {
  const Code code(kLoad);
  EXPECT_EQ(signal_of([&] {
              install_own(SIGSEGV, static_cast<int>(SA_RESETHAND));
              (void)cover(code);
              fault(code);
              code();
            }),
            SIGSEGV);
  expect_seen(code);
}

unsigned char *protected_page = nullptr;

bool open_page(int /*signal*/, const siginfo_t *info, void * /*context*/) {
  return info->si_addr == protected_page &&
         mprotect(protected_page, kPage, PROT_READ | PROT_WRITE) == 0;
}

TEST_F(CrashMarkers, AWriteToAProtectedPageIsNoCrash) {
  const Code code(kStore);
  EXPECT_EQ(status_of([&] {
              protected_page = static_cast<unsigned char *>(
                  mmap(nullptr, kPage, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
              (void)cover(code);
              if (FaultHandlers::install(SIGSEGV, FaultHandlers::Place::pages, open_page) != 0)
                _exit(1);
              code(protected_page);
              _exit(*protected_page == 1 ? 0 : 2);
            }),
            0);
  EXPECT_FALSE(fs::exists(state()));
}

TEST_F(CrashMarkers, AnIgnoredSignalIsLeftToTheProgram) {
  EXPECT_EQ(status_of([&] {
              signal(SIGFPE, SIG_IGN);
              (void)CrashMarker::install(state());
              struct sigaction now = {};
              sigaction(SIGFPE, nullptr, &now);
              _exit(now.sa_handler == SIG_IGN ? 0 : 1);
            }),
            0);
}

TEST_F(CrashMarkers, NoneIsWrittenWhereOthersCanWrite) {
  fs::create_directories(folder());
  fs::permissions(folder(), fs::perms::all);
  const Code code(kIllegal);
  EXPECT_EQ(signal_of([&] {
              (void)cover(code);
              code();
            }),
            SIGILL);
  EXPECT_EQ(fs::directory_iterator(folder()), fs::directory_iterator());
}

TEST_F(CrashMarkers, ChildrenHaveTheirOwn) {
  const Code code(kIllegal);
  EXPECT_EQ(status_of([&] {
              (void)cover(code);
              for (int i = 0; i < 2; ++i)
                if (const pid_t child = fork(); child == 0)
                  code();
                else
                  waitpid(child, nullptr, 0);
            }),
            0);
  EXPECT_THAT(crashes(), SizeIs(2));
}

TEST_F(CrashMarkers, AreOfTheRightCodeWhileOtherCodeComesAndGoes) {
  const Code code(kIllegal);
  EXPECT_EQ(signal_of([&] {
              const CrashMarker marker = cover(code);
              std::atomic<unsigned> rounds = 0;
              std::vector<std::jthread> threads;
              for (std::size_t thread = 0; thread < 3; ++thread)
                threads.emplace_back([&, thread](const std::stop_token &stop) {
                  const auto begin = [&](std::size_t i) {
                    return code.begin() + kPage * (thread * 100 + i % 100 + 1);
                  };
                  for (std::size_t i = 0; !stop.stop_requested(); ++i) {
                    marker.cover(begin(i), kPage >> i % 3, key_named("other"), "other{}");
                    CrashMarker::uncover(begin(i + 50));
                    ++rounds;
                  }
                });
              while (rounds < 2000)
                std::this_thread::yield();
              code();
            }),
            SIGILL);
  const auto entries = crashes();
  ASSERT_THAT(entries, SizeIs(1));
  EXPECT_EQ(entries[0].handler, "blend");
}

TEST_F(CrashMarkers, NeedAStateDirectory) { EXPECT_FALSE(CrashMarker::install("")); }

} // namespace
} // namespace sartor
