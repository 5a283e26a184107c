// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "live.h"

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <thread>

#include <arpa/inet.h>
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <net/if.h>
#include <sched.h>

#include <sartor/bpf/object.h>

#include "forward_tables.h"
#include "kernel_map.h"
#include "live_frame.h"
#include "packets.h"
#include "test_run.h"
#include "traffic.h"
#include "variables.h"

SARTOR_BPF_OBJECT(forward)
SARTOR_BPF_OBJECT(live)

namespace xdp {

namespace {

constexpr std::uint32_t kBatch = 4096;

[[noreturn]] void fail(const char *what) {
  throw std::runtime_error(std::string(what) + ": " + std::strerror(errno));
}

void make_interfaces() {
  if (unshare(CLONE_NEWNET) != 0)
    fail("no network namespace can be had");
  const char *made = "ip link add in0 type veth peer name in1 && "
                     "ip link add out0 type veth peer name out1 && "
                     "for each in in0 in1 out0 out1; do "
                     "sysctl -qw net.ipv6.conf.$each.disable_ipv6=1 && ip link set $each up || "
                     "exit 1; done";
  if (std::system(made) != 0) // NOLINT(bugprone-command-processor): a fixed line of ours
    throw std::runtime_error("interfaces cannot be made");
}

/// All routes lead to the far end; the last one is the default route.
void load_routes(sartor::BpfRuntime &runtime, std::size_t count) {
  ForwardPlan plan;
  plan.hops[1] = {if_nametoindex("out0"), 1500, {2, 0, 0, 0, 1, 1}, {2, 0, 0, 0, 1, 2}};
  const std::vector<std::uint32_t> hops{1};
  for (const router::RouteLine &line : router::made_up_routes(count, 1, hops))
    plan.routes[line.network] = line.gateway;
  ForwardTables([&](const std::string &name) { return runtime.map(name); }).load(plan);
}

} // namespace

/// The object, loaded for both ends.
struct LiveLine::Ends {
  Ends() {
    const std::string_view bytes = live_object();
    bpf_object_open_opts options{};
    options.sz = sizeof options;
    options.object_name = "live";
    object = bpf_object__open_mem(bytes.data(), bytes.size(), &options);
    if (!object || bpf_object__load(object) != 0)
      fail("the ends cannot be loaded");
    received =
        bpf_program__attach_xdp(program("live_receive"), static_cast<int>(if_nametoindex("out1")));
    if (!received)
      fail("the far end cannot be attached");
  }
  ~Ends() {
    bpf_link__destroy(received);
    bpf_object__close(object);
  }
  Ends(const Ends &) = delete;
  Ends &operator=(const Ends &) = delete;

  [[nodiscard]] bpf_program *program(const char *name) const {
    return bpf_object__find_program_by_name(object, name);
  }
  [[nodiscard]] int map(const char *name) const {
    return bpf_map__fd(bpf_object__find_map_by_name(object, name));
  }
  [[nodiscard]] int variables() const { return map("live.bss"); }

  bpf_object *object = nullptr;
  bpf_link *received = nullptr;
};

LiveLine::LiveLine() : LiveLine(1, {udp({0xc0000201, 0x0a000001, 1000, 53})}) {}

LiveLine::LiveLine(const Mix &mix)
    : LiveLine(1000, frames_of(scenarios().front(), mix, live_frames)) {}

LiveLine::LiveLine(std::size_t routes, const std::vector<std::string> &frames) {
  make_interfaces();
  runtime_ = std::make_unique<sartor::BpfRuntime>(sartor::BpfRuntime::open(forward_object()));
  load_routes(*runtime_, routes);
  ends_ = std::make_unique<Ends>();
  const Variables variables(ends_->variables());
  variables.get<std::uint32_t>("interface") = if_nametoindex("in0");
  variables.get<std::uint32_t>("compares") = frames.size() == 1 ? 1 : 0;
  std::vector<LiveFrame> sent(live_frames);
  for (std::size_t i = 0; i < sent.size(); ++i) {
    const std::string &frame = frames[i % frames.size()];
    std::memcpy(&sent[i], frame.data(), std::min(frame.size(), sizeof sent[i]));
  }
  KernelMap(ends_->map("frames")).set_first(sent);
  const std::string first(reinterpret_cast<const char *>(sent.data()), sizeof sent.front());
  const Ran out = run(runtime_->generic_program("forward"), first);
  if (out.frame.size() != sizeof(LiveFrame))
    throw std::runtime_error("generic code does not forward the packet");
  std::memcpy(&variables.get<LiveFrame>("expected"), out.frame.data(), sizeof(LiveFrame));
  runtime_->attach_xdp("forward", "in1");
}

LiveLine::~LiveLine() = default;

void LiveLine::send(std::uint32_t packets) {
  bpf_test_run_opts options{};
  options.sz = sizeof options;
  const LiveFrame room{}; // room for the sent frame
  options.data_in = &room;
  options.data_size_in = sizeof room;
  options.repeat = static_cast<int>(packets);
  options.flags = BPF_F_TEST_XDP_LIVE_FRAMES;
  if (bpf_prog_test_run_opts(bpf_program__fd(ends_->program("live_send")), &options) != 0)
    fail("packets cannot be sent");
}

Delivered LiveLine::send_during(const std::function<void()> &work) {
  const Variables variables(ends_->variables());
  std::uint64_t &right = variables.get<std::uint64_t>("right");
  std::uint64_t &wrong = variables.get<std::uint64_t>("wrong");
  right = 0;
  wrong = 0;
  Delivered delivered;
  std::atomic<bool> is_done = false;
  std::exception_ptr problem;
  std::thread sender([&] {
    try {
      for (; !is_done; delivered.sent += kBatch)
        send(kBatch);
    } catch (...) {
      problem = std::current_exception();
    }
  });
  try {
    work();
  } catch (...) {
    is_done = true;
    sender.join();
    throw;
  }
  is_done = true;
  sender.join();
  if (problem)
    std::rethrow_exception(problem);
  std::this_thread::sleep_for(std::chrono::milliseconds(200)); // waits for packets in flight
  delivered.right = std::atomic_ref(right).load();
  delivered.wrong = std::atomic_ref(wrong).load();
  return delivered;
}

double LiveLine::packets_per_second(std::uint32_t packets) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kLongest = std::chrono::seconds(10);
  const Variables variables(ends_->variables());
  const std::atomic_ref<std::uint64_t> arrived(variables.get<std::uint64_t>("right"));
  arrived = 0;
  const auto begin = Clock::now();
  send(packets);
  while (arrived < packets)
    if (Clock::now() - begin > kLongest)
      throw std::runtime_error("packets are lost");
  return packets / std::chrono::duration<double>(Clock::now() - begin).count();
}

} // namespace xdp
