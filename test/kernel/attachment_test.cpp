// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attachment points of handlers in the kernel, and the exchange of the active program there.
#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sartor/bpf/object.h>

#include "kernel.h"

SARTOR_BPF_OBJECT(points)

namespace sartor::test {

namespace {

class AttachmentTest : public Kernel {};

/// How long a test waits for a handler to run: the kernel may take a datagram after sendto().
constexpr std::chrono::minutes kPatience{2};

/// How often handlers that are not at XDP have run: they count in `runs`.
std::uint64_t runs(const BpfRuntime &runtime) {
  std::uint64_t words[2] = {};
  const std::uint32_t first = 0;
  bpf_map_lookup_elem(runtime.map(".bss"), &first, words);
  return std::max(words[0], words[1]);
}

/// The same, once there are as many as expected, or after kPatience.
std::uint64_t runs(const BpfRuntime &runtime, std::uint64_t expected) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  while (runs(runtime) < expected && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return runs(runtime);
}

void send_to_oneself() {
  const int from = socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(9);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  sendto(from, "x", 1, 0, reinterpret_cast<sockaddr *>(&to), sizeof to);
  close(from);
}

} // namespace

TEST_F(AttachmentTest, TheProgramAtAnInterfaceIsTheActiveOne) {
  make_interfaces("one", "other");
  BpfRuntime runtime = BpfRuntime::open(points_object());
  runtime.attach_xdp("points", "one");
  EXPECT_EQ(program_at("one"), runtime.active("points").program);
  runtime.specialize(Configuration().set("rounds", 3));
  EXPECT_EQ(program_at("one"), runtime.active("points").program);
  EXPECT_NE(runtime.active("points").name, "points");
  runtime.specialize({});
  EXPECT_EQ(program_at("one"), runtime.active("points").program);
  runtime.detach("points");
  EXPECT_EQ(program_at("one"), 0U);
}

TEST_F(AttachmentTest, WhatIsPinnedOutlivesTheProcessAndIsTakenOver) {
  make_interfaces("one", "other");
  const pid_t child = fork();
  if (child == 0) {
    BpfRuntime runtime = BpfRuntime::open(points_object(), {.pins = pins()});
    runtime.attach_xdp("points", "one");
    runtime.specialize(Configuration().set("rounds", 3));
    const std::uint32_t key = 2;
    const std::uint64_t value = 77;
    bpf_map_update_elem(runtime.map("counts"), &key, &value, 0);
    kill(getpid(), SIGKILL);
  }
  int how = 0;
  ASSERT_EQ(waitpid(child, &how, 0), child);
  const std::uint32_t left = program_at("one");
  ASSERT_NE(left, 0U) << "the active variant stays";
  {
    BpfRuntime next = BpfRuntime::open(points_object(), {.pins = pins()});
    EXPECT_GE(element(next.map("counts"), 2), 77U) << "neighbours are sought meanwhile";
    EXPECT_EQ(program_at("one"), left);
    next.attach_xdp("points", "one");
    EXPECT_EQ(program_at("one"), next.active("points").program);
    EXPECT_TRUE(is_gone(left));
    next.detach("points");
  }
  EXPECT_EQ(program_at("one"), 0U);
}

TEST_F(AttachmentTest, SomebodyElsesPlaceIsLeftToThem) {
  make_interfaces("one", "other");
  BpfRuntime first = BpfRuntime::open(points_object());
  first.attach_xdp("points", "one");
  BpfRuntime second = BpfRuntime::open(points_object());
  EXPECT_EQ(code_of([&] { second.attach_xdp("points", "one"); }), ErrorCode::bad_attachment);
  EXPECT_EQ(code_of([&] { second.attach_xdp("points", "nowhere"); }), ErrorCode::bad_attachment);
  EXPECT_EQ(program_at("one"), first.active("points").program);
}

TEST_F(AttachmentTest, AnInterfaceThatVanishesIsReported) {
  make_interfaces("one", "other");
  BpfRuntime runtime = BpfRuntime::open(points_object());
  runtime.attach_xdp("points", "one");
  ASSERT_EQ(command("ip link del one"), 0);
  EXPECT_EQ(code_of([&] { runtime.specialize(Configuration().set("rounds", 3)); }),
            ErrorCode::bad_attachment);
  EXPECT_EQ(runtime.active("points").name, "points") << "the active variant stays";
  runtime.detach("points");
  runtime.specialize(Configuration().set("rounds", 3));
  EXPECT_EQ(runtime.active("points").name, "points._rounds_3_");
}

TEST_F(AttachmentTest, TailCallsGoToWhatIsActive) {
  BpfRuntime runtime = BpfRuntime::open(points_object());
  const std::string bytes(64, '\0');
  EXPECT_EQ(run(runtime.generic_program("first"), bytes).verdict, 0U) << "the slot is empty";
  runtime.attach_slot("points", "slots", 1);
  const Outcome generic = run(runtime.generic_program("first"), bytes);
  EXPECT_EQ(generic, run(runtime.program("points"), bytes));
  runtime.specialize(Configuration().set("scale", 5));
  EXPECT_EQ(run(runtime.generic_program("first"), bytes), generic);
  EXPECT_EQ(runtime.guard_failures("scale"), 1U) << "it is the variant";
}

TEST_F(AttachmentTest, ASlotOfOthersIsLeftToThem) {
  BpfRuntime runtime = BpfRuntime::open(points_object());
  const std::uint32_t index = 1;
  const auto in_slot = [&] {
    std::uint32_t program = 0;
    return bpf_map_lookup_elem(runtime.map("slots"), &index, &program) == 0 ? program : 0;
  };
  const auto put = [&](const char *handler) {
    const int program = runtime.generic_program(handler);
    return bpf_map_update_elem(runtime.map("slots"), &index, &program, 0);
  };
  ASSERT_EQ(put("points"), 0);
  const std::uint32_t before = in_slot();
  ASSERT_NE(before, 0U);
  EXPECT_THROW(runtime.attach_slot("at_tc", "slots", index), Error) << "is of another type";
  EXPECT_EQ(in_slot(), before);

  runtime.attach_slot("points", "slots", index);
  runtime.specialize(Configuration().set("scale", 5));
  EXPECT_EQ(in_slot(), runtime.active("points").program);
  ASSERT_EQ(put("first"), 0);
  const std::uint32_t of_others = in_slot();
  runtime.detach("points");
  EXPECT_EQ(in_slot(), of_others);
}

TEST_F(AttachmentTest, SocketsGroupsAndTrafficControl) {
  ASSERT_EQ(command("ip link set lo up"), 0);
  BpfRuntime runtime = BpfRuntime::open(points_object());
  const auto runs_by_sending = [&](std::uint64_t expected) {
    const std::uint64_t before = runs(runtime);
    send_to_oneself();
    return runs(runtime, before + expected) - before;
  };
  EXPECT_EQ(runs_by_sending(0), 0U);
  runtime.attach_tc("at_tc", "lo");
  EXPECT_GT(runs_by_sending(1), 0U);
  runtime.specialize(Configuration().set("length", 43));
  EXPECT_EQ(runtime.active("at_tc").name, "at_tc._length_43_");
  EXPECT_GT(runs_by_sending(1), 0U);
  runtime.detach("at_tc");
  EXPECT_EQ(runs_by_sending(0), 0U);

  runtime.attach_tc("at_tc", "lo", /*egress=*/true);
  EXPECT_GT(runs_by_sending(1), 0U);
  runtime.detach("at_tc");

  const int socket_of_ours = socket(AF_INET, SOCK_DGRAM, 0);
  sockaddr_in here{};
  here.sin_family = AF_INET;
  here.sin_port = htons(9);
  ASSERT_EQ(bind(socket_of_ours, reinterpret_cast<sockaddr *>(&here), sizeof here), 0);
  runtime.attach_socket("at_socket", socket_of_ours);
  EXPECT_EQ(runs_by_sending(1), 1U);
  runtime.specialize(Configuration().set("taken", 9));
  EXPECT_EQ(runs_by_sending(1), 1U);
  runtime.detach("at_socket");
  EXPECT_EQ(runs_by_sending(0), 0U);
  close(socket_of_ours);
}

TEST_F(AttachmentTest, ProcessesOfAControlGroup) {
  ASSERT_EQ(command("ip link set lo up"), 0);
  const std::filesystem::path group = "/tmp/sartor_groups_" + std::to_string(getpid());
  std::filesystem::create_directory(group);
  if (mount("cgroup2", group.c_str(), "cgroup2", 0, nullptr) != 0)
    GTEST_SKIP() << "there are no control groups of version 2";
  const std::filesystem::path ours = group / ("sartor_" + std::to_string(getpid()));
  std::filesystem::create_directory(ours);
  std::ofstream(ours / "cgroup.procs") << getpid();
  BpfRuntime runtime = BpfRuntime::open(points_object());
  runtime.attach_cgroup("at_group", ours);
  send_to_oneself();
  EXPECT_EQ(runs(runtime), 1U);
  runtime.specialize(Configuration().set("is_let_through", true));
  send_to_oneself();
  EXPECT_EQ(runs(runtime), 2U);
  runtime.detach("at_group");
  std::ofstream(group / "cgroup.procs") << getpid();
  std::filesystem::remove(ours);
  ASSERT_EQ(umount(group.c_str()), 0);
  std::filesystem::remove(group);
}

TEST_F(AttachmentTest, APinnedLinkToAnotherControlGroupIsNotTakenOver) {
  const std::filesystem::path groups = "/tmp/sartor_groups_" + std::to_string(getpid());
  std::filesystem::create_directory(groups);
  if (mount("cgroup2", groups.c_str(), "cgroup2", 0, nullptr) != 0)
    GTEST_SKIP() << "there are no control groups of version 2";
  const std::string name = "sartor_" + std::to_string(getpid());
  const std::filesystem::path one = groups / (name + ".a");
  const std::filesystem::path other = groups / (name + "_a"); // whose pin has the same name
  std::filesystem::create_directory(one);
  std::filesystem::create_directory(other);
  BpfOptions options;
  options.pins = pins();
  BpfRuntime::open(points_object(), options).attach_cgroup("at_group", one);
  BpfRuntime runtime = BpfRuntime::open(points_object(), options);
  EXPECT_EQ(code_of([&] { runtime.attach_cgroup("at_group", other); }), ErrorCode::bad_attachment);
  runtime.attach_cgroup("at_group", one);
  runtime.detach("at_group");
  std::filesystem::remove(one);
  std::filesystem::remove(other);
  ASSERT_EQ(umount(groups.c_str()), 0);
  std::filesystem::remove(groups);
}

TEST_F(AttachmentTest, WithoutRightsItIsSaid) {
  const pid_t child = fork();
  if (child == 0) {
    if (setgid(65534) != 0 || setuid(65534) != 0)
      _exit(2);
    _exit(code_of([] { BpfRuntime::open(points_object()); }) == ErrorCode::not_permitted ? 0 : 1);
  }
  int how = 0;
  ASSERT_EQ(waitpid(child, &how, 0), child);
  EXPECT_EQ(WEXITSTATUS(how), 0);
}

TEST_F(AttachmentTest, SwitchedOffAllStaysGeneric) {
  make_interfaces("one", "other");
  setenv("SARTOR", "off", 1);
  BpfRuntime runtime = BpfRuntime::open(points_object());
  unsetenv("SARTOR");
  runtime.attach_xdp("points", "one");
  EXPECT_EQ(program_at("one"), runtime.active("points").program);
  runtime.specialize(Configuration().set("rounds", 3));
  runtime.instrument({"rounds"});
  EXPECT_EQ(runtime.guard_failures("rounds"), 0U);
  EXPECT_EQ(runtime.active("points").name, "points");
}

} // namespace sartor::test
