// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "kernel.h"

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <net/if.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

namespace sartor::test {

namespace {

// Enters namespaces of the test's own, so that a test leaves nothing to the next. Returns "", or
// the reason for which this process may not.
std::string enter() {
  if (geteuid() != 0)
    return "only root may load programs into the kernel";
  if (unshare(CLONE_NEWNET | CLONE_NEWNS) != 0)
    return std::string("namespaces cannot be had: ") + std::strerror(errno);
  const std::uint32_t first = 0;
  std::uint32_t next = 0;
  if (bpf_map_get_next_id(first, &next) != 0 && errno != ENOENT)
    return std::string("bpf() is not for this process: ") + std::strerror(errno);
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
      mount("bpf", "/sys/fs/bpf", "bpf", 0, nullptr) != 0)
    return std::string("no bpffs can be mounted: ") + std::strerror(errno);
  return "";
}

} // namespace

void Kernel::SetUp() {
  if (const std::string problem = enter(); !problem.empty())
    GTEST_SKIP() << problem;
}

std::filesystem::path Kernel::pins() { return "/sys/fs/bpf/sartor"; }

int Kernel::command(const std::string &line) {
  return std::system(line.c_str()); // NOLINT(bugprone-command-processor): fixed commands
}

void Kernel::make_interfaces(const std::string &one, const std::string &other) {
  ASSERT_EQ(command("ip link add " + one + " type veth peer name " + other + " && ip link set " +
                    one + " up && ip link set " + other + " up"),
            0);
}

Outcome run(int program, const std::string &bytes) {
  std::string out(bytes.size() + 256, '\0');
  bpf_test_run_opts options{};
  options.sz = sizeof options;
  options.data_in = bytes.data();
  options.data_size_in = static_cast<std::uint32_t>(bytes.size());
  options.data_out = out.data();
  options.data_size_out = static_cast<std::uint32_t>(out.size());
  EXPECT_EQ(bpf_prog_test_run_opts(program, &options), 0) << std::strerror(errno);
  out.resize(options.data_size_out);
  return {options.retval, out};
}

std::string bytes_of(const Packet &packet) {
  std::string bytes(64, '\0');
  std::memcpy(bytes.data(), &packet, sizeof packet);
  return bytes;
}

Packet packet_in(const Outcome &outcome) {
  Packet packet{};
  std::memcpy(&packet, outcome.bytes.data(), sizeof packet);
  return packet;
}

bool is_gone(std::uint32_t program) {
  for (int tries = 0; tries < 30'000; ++tries) {
    const int found = bpf_prog_get_fd_by_id(program);
    if (found < 0)
      return errno == ENOENT;
    close(found);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

std::uint32_t program_at(const std::string &interface) {
  std::uint32_t program = 0;
  bpf_xdp_query_id(static_cast<int>(if_nametoindex(interface.c_str())), 0, &program);
  return program;
}

std::uint64_t element(int map, std::uint32_t key) {
  std::uint64_t value = 0;
  EXPECT_EQ(bpf_map_lookup_elem(map, &key, &value), 0);
  return value;
}

} // namespace sartor::test
