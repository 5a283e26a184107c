// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// No object remains in the kernel, however the process ends.
#include <array>
#include <csignal>
#include <thread>

#include <bpf/bpf.h>
#include <sys/wait.h>
#include <unistd.h>

#include "xdp.h"

namespace xdp::test {

namespace {

class XdpLifeTest : public Kernel {};

/// The kernel objects of a process.
struct Held {
  std::array<std::uint32_t, 5> programs{};
  std::array<std::uint32_t, 3> maps{};
};

std::uint32_t map_number(int map) {
  bpf_map_info reported{};
  std::uint32_t size = sizeof reported;
  EXPECT_EQ(bpf_obj_get_info_by_fd(map, &reported, &size), 0);
  return reported.id;
}

bool is_map_gone(std::uint32_t map) {
  for (int tries = 0; tries < 30'000; ++tries) {
    const int found = bpf_map_get_fd_by_id(map);
    if (found < 0)
      return errno == ENOENT;
    close(found);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

/// Attaches all handlers, reports its kernel objects, and waits until it is killed or, on request,
/// ends.
[[noreturn]] void hold_all(int answers, bool is_to_end) {
  {
    Handlers forward(forward_object());
    Handlers firewall(firewall_object());
    Handlers balancer(balancer_object());
    forward.runtime().attach_xdp("forward", "one");
    firewall.runtime().attach_xdp("from_inside", "other");
    const Held held = {{forward.runtime().active("forward").program,
                        forward.runtime().active("forward_by_trie").program,
                        firewall.runtime().active("from_inside").program,
                        firewall.runtime().active("from_outside").program,
                        balancer.runtime().active("balance").program},
                       {map_number(forward.runtime().map("routes")),
                        map_number(firewall.runtime().map("connections")),
                        map_number(balancer.runtime().map("rings"))}};
    EXPECT_EQ(write(answers, &held, sizeof held), static_cast<ssize_t>(sizeof held));
    if (!is_to_end)
      pause(); // it is killed here
  }
  _exit(testing::Test::HasFailure() ? 1 : 0);
}

void expect_all_gone(bool is_to_end) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe(pipe.data()), 0);
  const pid_t child = fork();
  if (child == 0)
    hold_all(pipe[1], is_to_end);
  close(pipe[1]);
  Held held;
  EXPECT_EQ(read(pipe[0], &held, sizeof held), static_cast<ssize_t>(sizeof held));
  close(pipe[0]);
  if (!is_to_end)
    kill(child, SIGKILL);
  int how = 0;
  ASSERT_EQ(waitpid(child, &how, 0), child);
  if (is_to_end)
    EXPECT_EQ(how, 0);
  for (const std::uint32_t program : held.programs)
    EXPECT_TRUE(sartor::test::is_gone(program)) << program;
  for (const std::uint32_t map : held.maps)
    EXPECT_TRUE(is_map_gone(map)) << map;
  EXPECT_EQ(sartor::test::program_at("one"), 0U);
  EXPECT_EQ(sartor::test::program_at("other"), 0U);
}

} // namespace

TEST_F(XdpLifeTest, NothingIsLeftWhetherAProcessEndsOrIsKilled) {
  make_interfaces("one", "other");
  for (const bool is_to_end : {true, false})
    expect_all_gone(is_to_end);
}

} // namespace xdp::test
