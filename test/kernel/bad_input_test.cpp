// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Errors in the kernel, and their reports.
#include <cstdarg>
#include <fstream>

#include <gmock/gmock.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sartor/bpf/object.h>

#include "handlers/lookups.h"
#include "kernel.h"

SARTOR_BPF_OBJECT(calls)
SARTOR_BPF_OBJECT(endless)
SARTOR_BPF_OBJECT(lacking)
SARTOR_BPF_OBJECT(large)
SARTOR_BPF_OBJECT(maps)
SARTOR_BPF_OBJECT(nobody)
SARTOR_BPF_OBJECT(points)
SARTOR_BPF_OBJECT(walk)

namespace sartor::test {

namespace {

using testing::HasSubstr;

class BadInputTest : public Kernel {};

const Configuration kThreeRounds = Configuration().set("rounds", 3);

void expect_same(std::uint32_t before, std::uint32_t after) {
  EXPECT_NE(before, 0U);
  EXPECT_EQ(before, after);
}

} // namespace

TEST_F(BadInputTest, WhereOpeningIsRefusedNothingIsPinned) {
  const std::filesystem::path elsewhere = "/tmp/sartor_no_bpffs_" + std::to_string(getpid());
  EXPECT_EQ(code_of([&] { BpfRuntime::open(points_object(), {.pins = elsewhere / "pins"}); }),
            ErrorCode::kernel_lacks);
  EXPECT_FALSE(std::filesystem::exists(elsewhere));
  EXPECT_EQ(code_of([] { BpfRuntime::open(calls_object(), {.pins = pins()}); }),
            ErrorCode::refused_by_verifier);
  EXPECT_EQ(code_of([] { BpfRuntime::open("no object", {.pins = pins()}); }),
            ErrorCode::bad_bpf_object);
  EXPECT_FALSE(std::filesystem::exists(pins()));
  const BpfRuntime runtime = BpfRuntime::open(points_object(), {.pins = pins()});
  EXPECT_TRUE(std::filesystem::exists(pins() / "maps" / "counts"));
}

// A bpffs may be as writable as /tmp.
TEST_F(BadInputTest, PinsInADirectoryThatOthersCanChangeAreNotUsed) {
  const std::filesystem::path own = pins() / "own";
  std::filesystem::create_directories(own);
  const auto expect_refused = [&](const std::filesystem::path &subject) {
    const Error error = error_of([&] { BpfRuntime::open(points_object(), {.pins = own}); });
    EXPECT_EQ(error.code(), ErrorCode::file_error);
    EXPECT_THAT(error.what(), HasSubstr(subject.string()));
    EXPECT_FALSE(std::filesystem::exists(own / "maps" / "counts"));
  };
  for (const std::filesystem::path &each : {own, own.parent_path()}) {
    ASSERT_EQ(chmod(each.c_str(), 0777), 0);
    expect_refused(each);
    ASSERT_EQ(chmod(each.c_str(), 0755), 0);
    ASSERT_EQ(chown(each.c_str(), 65534, 65534), 0);
    expect_refused(each);
    ASSERT_EQ(chown(each.c_str(), 0, 0), 0);
  }
  std::filesystem::remove(own);
  std::filesystem::create_directory_symlink(pins(), own);
  EXPECT_EQ(code_of([&] { BpfRuntime::open(points_object(), {.pins = own}); }),
            ErrorCode::kernel_lacks);
  std::filesystem::remove(own);
  const BpfRuntime runtime = BpfRuntime::open(points_object(), {.pins = own});
  EXPECT_TRUE(std::filesystem::exists(own / "maps" / "counts"));
}

TEST_F(BadInputTest, WithoutABpffsNothingIsPinned) {
  while (umount("/sys/fs/bpf") == 0) // our bpffs, and that of the machine
    continue;
  const Error error = error_of([] { BpfRuntime::open(points_object(), {.pins = pins()}); });
  EXPECT_EQ(error.code(), ErrorCode::kernel_lacks);
  EXPECT_THAT(error.what(), HasSubstr("mount -t bpf"));
}

TEST_F(BadInputTest, APinnedMapOfAnotherSizeIsReported) {
  {
    const BpfRuntime runtime = BpfRuntime::open(maps_object(), {.pins = pins()});
  }
  const std::filesystem::path pin = pins() / "maps" / "list";
  std::filesystem::remove(pin);
  const int larger = bpf_map_create(BPF_MAP_TYPE_ARRAY, "list", 4, sizeof(Found), 9, nullptr);
  ASSERT_EQ(bpf_obj_pin(larger, pin.c_str()), 0);
  close(larger);
  const auto open = [] { BpfRuntime::open(maps_object(), {.pins = pins()}); };
  const Error error = error_of(open);
  EXPECT_EQ(error.code(), ErrorCode::bad_bpf_object);
  EXPECT_THAT(error.what(), HasSubstr(pin.string()));
  std::filesystem::remove(pin);
  open();
}

TEST_F(BadInputTest, APinThatIsNoMapAnyMoreIsReported) {
  const BpfRuntime runtime = BpfRuntime::open(maps_object(), {.pins = pins()});
  const std::filesystem::path pin = pins() / "maps" / "table";
  std::filesystem::remove(pin);
  ASSERT_EQ(bpf_obj_pin(runtime.program("look"), pin.c_str()), 0);
  const Error error = error_of([] { BpfRuntime::open(maps_object(), {.pins = pins()}); });
  EXPECT_EQ(error.code(), ErrorCode::bad_bpf_object);
  EXPECT_THAT(error.what(), HasSubstr(pin.string()));
}

TEST_F(BadInputTest, APinnedLinkToAnInterfaceThatIsGoneIsReported) {
  for (const bool at_xdp : {true, false}) {
    SCOPED_TRACE(at_xdp);
    const auto attach = [&](BpfRuntime &runtime) {
      at_xdp ? runtime.attach_xdp("points", "one") : runtime.attach_tc("at_tc", "one");
    };
    make_interfaces("one", "other");
    {
      BpfRuntime runtime = BpfRuntime::open(points_object(), {.pins = pins()});
      attach(runtime);
    }
    ASSERT_EQ(command("ip link del one"), 0);
    make_interfaces("one", "other");
    BpfRuntime runtime = BpfRuntime::open(points_object(), {.pins = pins()});
    const Error error = error_of([&] { attach(runtime); });
    EXPECT_EQ(error.code(), ErrorCode::bad_attachment);
    EXPECT_THAT(error.what(), HasSubstr((pins() / (at_xdp ? "points@one" : "at_tc@one")).string()));
    ASSERT_EQ(command("ip link del one"), 0);
  }
}

TEST_F(BadInputTest, OfTwoRuntimesWithTheSamePinsTheLaterOneHasTheHook) {
  make_interfaces("one", "other");
  BpfRuntime first = BpfRuntime::open(points_object(), {.pins = pins()});
  first.attach_xdp("points", "one");
  BpfRuntime second = BpfRuntime::open(points_object(), {.pins = pins()});
  second.attach_xdp("points", "one");
  const Error error = error_of([&] { first.specialize(kThreeRounds); });
  EXPECT_EQ(error.code(), ErrorCode::bad_attachment);
  EXPECT_THAT(error.what(), HasSubstr("points at one"));
  EXPECT_EQ(first.active("points").name, "points") << "the active variant stays";
  expect_same(program_at("one"), second.active("points").program);
  first.detach("points");
  expect_same(program_at("one"), second.active("points").program);
  first.specialize(kThreeRounds);
  second.specialize(kThreeRounds);
  expect_same(program_at("one"), second.active("points").program);
  second.detach("points");
  EXPECT_EQ(program_at("one"), 0U);
}

TEST_F(BadInputTest, WhatTheKernelLacksIsNamed) {
  if (libbpf_probe_bpf_prog_type(BPF_PROG_TYPE_LIRC_MODE2, nullptr) != 0)
    GTEST_SKIP() << "this kernel has all";
  const Error error = error_of([] { BpfRuntime::open(lacking_object()); });
  EXPECT_EQ(error.code(), ErrorCode::kernel_lacks);
  EXPECT_THAT(error.what(), HasSubstr("programs of type lirc_mode2 (decode)"));
}

TEST_F(BadInputTest, WithoutTypesOfTheKernelNothingIsWatched) {
  if (mount("none", "/sys/kernel/btf", "tmpfs", 0, nullptr) != 0)
    GTEST_SKIP() << "this kernel tells nothing of its types anyway";
  BpfRuntime runtime = BpfRuntime::open(maps_object());
  const Error error = error_of([&] { runtime.declare_invariant("list", BpfWriters::watched); });
  EXPECT_EQ(error.code(), ErrorCode::kernel_lacks);
  EXPECT_THAT(error.what(), HasSubstr("/sys/kernel/btf/vmlinux"));
  ASSERT_EQ(umount("/sys/kernel/btf"), 0);
  runtime.declare_invariant("list", BpfWriters::ours);
  runtime.specialize({});
  EXPECT_NE(runtime.program("look"), runtime.generic_program("look"));
}

TEST_F(BadInputTest, CallsThatProgramsMayNotMakeAreReported) {
  const Error helper = error_of([] { BpfRuntime::open(calls_object()); });
  EXPECT_EQ(helper.code(), ErrorCode::refused_by_verifier);
  EXPECT_THAT(helper.what(), HasSubstr("skb_load_bytes"));
  const Error nobody = error_of([] { BpfRuntime::open(nobody_object()); });
  EXPECT_EQ(nobody.code(), ErrorCode::bad_bpf_object);
  EXPECT_THAT(nobody.what(), HasSubstr("nobody_has_this"));
}

TEST_F(BadInputTest, WhatLibbpfSaysIsHeardWhoeverListensBesides) {
  {
    const BpfRuntime runtime = BpfRuntime::open(points_object());
  }
  static int heard = 0;
  libbpf_set_print([](libbpf_print_level, const char *, va_list) { return ++heard; });
  const Error error = error_of([] { BpfRuntime::open(nobody_object()); });
  EXPECT_THAT(error.what(), HasSubstr("nobody_has_this"));
  EXPECT_EQ(heard, 0) << "it is told of in the error";
  bpf_object__close(bpf_object__open_mem(points_object().data(), points_object().size(), nullptr));
  EXPECT_GT(heard, 0) << "what others do is theirs to hear";
  libbpf_set_print(nullptr);
}

TEST_F(BadInputTest, WhatTheVerifierTiresOfIsReportedAndChangesNothing) {
  BpfRuntime runtime = BpfRuntime::open(walk_object());
  runtime.specialize(Configuration().set("rounds", 2));
  const std::uint32_t before = runtime.active("walk").program;
  const Error error =
      error_of([&] { runtime.specialize(Configuration().set("rounds", unguarded(200000))); });
  EXPECT_EQ(error.code(), ErrorCode::refused_by_verifier);
  EXPECT_THAT(error.what(), HasSubstr("too large"));
  expect_same(before, runtime.active("walk").program);
}

TEST_F(BadInputTest, WhatIsTooLongIsKnownBeforeTheKernelIsAsked) {
  const Error error = error_of([] { BpfRuntime::open(endless_object()); });
  EXPECT_EQ(error.code(), ErrorCode::refused_by_verifier);
  EXPECT_THAT(error.what(), HasSubstr("\"endless\": has 10000"));
  EXPECT_THAT(error.what(), HasSubstr("it was not loaded"));
}

// The errors of exhausted locked memory on kernels before 5.11.
TEST_F(BadInputTest, AFullMemoryIsReported) {
  const std::filesystem::path group = "/sys/fs/cgroup/memory/sartor_" + std::to_string(getpid());
  std::error_code problem;
  if (!std::filesystem::create_directory(group, problem))
    GTEST_SKIP() << "there are no memory groups of version 1";
  const pid_t child = fork();
  if (child == 0) {
    std::ofstream(group / "cgroup.procs") << getpid() << std::flush;
    std::ofstream(group / "memory.limit_in_bytes") << (32U << 20) << std::flush;
    const Error error = error_of([] { BpfRuntime::open(large_object()); });
    const bool is_named = std::string_view(error.what()).find("'large'") != std::string_view::npos;
    _exit(error.code() == ErrorCode::not_permitted && is_named ? 0 : 1);
  }
  int how = 0;
  ASSERT_EQ(waitpid(child, &how, 0), child);
  std::filesystem::remove(group, problem);
  EXPECT_FALSE(problem) << problem.message();
  EXPECT_TRUE(WIFEXITED(how) && WEXITSTATUS(how) == 0) << how;
}

} // namespace sartor::test
