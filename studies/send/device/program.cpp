// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file send_device SEED STEPS [SERVER SERVER.pub DEVICE.key]: a host that sends with lwIP while
/// its network state changes, with code from a server if one is given. Writes the frames on the
/// wire and the senders' results to the standard output, and then, with a server,
///     code HANDLER-CALLS BY-VARIANTS BYTES REQUESTS MILLISECONDS PAGES
///     time NAME GENERIC-NANOSECONDS SPECIALIZED-NANOSECONDS
/// Events go to the standard error.

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <random>
#include <thread>
#include <vector>

#include <sartor/device/device.h>

#include <lwip/api.h>
#include <lwip/priv/tcp_priv.h>
#include <lwip/sockets.h>
#include <lwip/udp.h>
extern "C" { // some of lwIP's headers lack it
#include <lwip/priv/sockets_priv.h>
extern const sartor_device_module send_module;
}

#include "clock.h"
#include "invariants.h"
#include "sockets.h"
#include "within.h"

namespace sartor::send {
namespace {

using Send = ssize_t (*)(int, const void *, std::size_t, int);

constexpr std::size_t kSmall = 64;
constexpr std::size_t kSegment = 1460;
constexpr unsigned kPatience = 60'000; // milliseconds, in emulation and under load

void report(void *, sartor_device_event, const char *text) { std::fprintf(stderr, "%s\n", text); }

/// The device, and the thread that talks to the server for it.
class Device {
public:
  Device(const char *server, const char *server_key_file, const char *key_file) {
    std::array<unsigned char, 32> server_key{};
    std::array<unsigned char, 64> key{};
    sartor_device_options options{};
    if (sartor_device_read_key(server_key_file, server_key.data(), server_key.size()) == 0 ||
        sartor_device_read_key(key_file, key.data(), key.size()) == 0)
      throw std::runtime_error("there is no such key");
    options.module = &send_module;
    options.server = server;
    options.server_key = server_key.data();
    options.key = key.data();
    options.milliseconds = kPatience;
    options.report = report;
    if (sartor_device_open(&options, &device_) != SARTOR_DEVICE_OK)
      throw std::runtime_error("the device cannot be opened");
  }
  ~Device() { sartor_device_close(device_); }
  Device(const Device &) = delete;
  Device &operator=(const Device &) = delete;

  [[nodiscard]] sartor_device *get() const { return device_; }

private:
  sartor_device *device_ = nullptr;
};

/// Sends on one socket; messages of one size have specialized code.
class Sender {
public:
  /// `device` may be null.
  Sender(sartor_device *device, int socket, std::size_t size)
      : device_(device), socket_(socket), size_(size), open_(device), options_(device),
        destination_(device) {
    const WithinMonitor within;
    const lwip_sock &found = *lwip_socket_dbg_get_socket(socket);
    const netconn &connection = *found.conn;
    open_.add(found.conn);
    open_.add(connection.type);
    open_.add(connection.pcb);
    options_.add(connection.send_timeout);
    const ip_pcb &common = *connection.pcb.ip;
    options_.add(common.netif_idx, common.ttl);
    destination_.add(common.local_ip, common.remote_ip);
    if (NETCONNTYPE_GROUP(connection.type) == NETCONN_UDP) {
      const udp_pcb &block = *connection.pcb.udp;
      destination_.add(block.flags, block.remote_port);
      options_.add(block.mcast_ip4, block.mcast_ttl);
    } else {
      const tcp_pcb &block = *connection.pcb.tcp;
      destination_.add(block.state);
      destination_.add(block.local_port, block.remote_port);
    }
    if (device == nullptr)
      return;
    const std::array settings{sartor_device_argument(0, socket),
                              sartor_device_argument(2, static_cast<std::int64_t>(size)),
                              sartor_device_argument(3, MSG_DONTWAIT)};
    if (sartor_device_customize(device, "lwip_send", settings.data(), settings.size(), &token_) !=
        SARTOR_DEVICE_OK)
      throw std::runtime_error("lwip_send() cannot be customized");
  }
  ~Sender() {
    if (device_ != nullptr)
      sartor_device_cancel(device_, token_);
  }
  Sender(const Sender &) = delete;
  Sender &operator=(const Sender &) = delete;

  ssize_t operator()(const void *data, std::size_t size) {
    const WithinMonitor within;
    ++calls;
    if (device_ == nullptr || size != size_)
      return lwip_send(socket_, data, size, MSG_DONTWAIT);
    const sartor_device_code code = sartor_device_enter(device_, token_);
    by_variants += code.is_variant != 0 ? 1 : 0;
    const ssize_t sent = reinterpret_cast<Send>(code.function)(socket_, data, size, MSG_DONTWAIT);
    sartor_device_leave(device_, code);
    return sent;
  }

  /// Waits for the code. False if the server has refused it.
  bool wait() {
    return device_ == nullptr || sartor_device_wait(device_, token_, kPatience) == SARTOR_DEVICE_OK;
  }

  Invariants &options() { return options_; }
  Invariants &destination() { return destination_; }

  unsigned calls = 0;
  unsigned by_variants = 0;

private:
  sartor_device *device_;
  int socket_;
  std::size_t size_;
  Invariants open_;        ///< The connection's identity and kind.
  Invariants options_;     ///< The socket's options.
  Invariants destination_; ///< Addresses and ports; for a stream also that it is established.
  sartor_device_binding token_ = 0;
};

/// A host with one link and a socket of each kind.
class Host {
public:
  Host(std::uint64_t seed, sartor_device *device) : device_(device), random_(seed), route_(device) {
    send_stop_clock(1000);
    stack_start();
    wire_up(&wire_, "10.0.0.1", "255.255.255.0", "10.0.0.254", wire_collect);
    peer_.answer();
    for (std::uint8_t &byte : data_)
      byte = static_cast<std::uint8_t>(random_());
    route_.add(netif_list);
    route_.add(netif_default);
    for (const netif *each = netif_list; each != nullptr; each = each->next) {
      route_.add(each->next, each->gw);
      route_.add(each->output, each->linkoutput);
      route_.add(each->state);
      route_.add(each->mtu, each->num);
    }
    open();
  }

  void run(std::size_t steps) {
    for (std::size_t i = 0; i < steps; ++i) {
      step();
      take_frames();
    }
    if (device_ != nullptr)
      report_code();
    if (device_ != nullptr)
      report_times();
  }

private:
  enum Kind : std::uint8_t { datagrams, stream };
  using Clock = std::chrono::steady_clock;

  void open() {
    sockets_ = {open_datagrams(peer_, "10.0.0.2", kDiscard),
                open_stream(peer_, "10.0.0.3", kDiscard)};
    senders_[datagrams].emplace(device_, sockets_[datagrams], kSmall);
    senders_[stream].emplace(device_, sockets_[stream], kSegment);
    wait();
  }

  void wait() {
    for (auto &sender : senders_)
      if (!sender->wait())
        throw std::runtime_error("the server makes no such code");
  }

  void step() {
    // Changes are rare, as in practice: each causes a compilation.
    switch (random_() % 48) {
    case 0:
    case 1:
    case 2:
      return wait();
    case 3:
      return note(senders_[datagrams]->destination().change([&] {
        const bool is_near = random_() % 2 == 0;
        return redirect(sockets_[datagrams], is_near ? "10.0.0.2" : "192.168.7.7",
                        random_() % 2 == 0 ? 9 : 10);
      }));
    case 4:
      return change_option(random_() % 2 == 0 ? datagrams : stream);
    case 5:
      return note(route_.change([&] { return change_route(); }));
    case 6:
      return peer_.move(static_cast<std::uint8_t>(2 + random_() % 4));
    default:
      return random_() % 4 == 0 ? peer_.acknowledge(random_() % 2 == 0 ? 65535 : 4000)
                                : send(random_() % 2 == 0 ? datagrams : stream);
    }
  }

  void send(Kind kind) {
    const std::array sizes = {kSmall, kSegment, static_cast<std::size_t>(random_() % 3000)};
    errno = 0;
    note((*senders_[kind])(data_.data() + random_() % 8, sizes[random_() % sizes.size()]));
    peer_.answer();
  }

  void change_option(Kind kind) {
    const int ttl = static_cast<int>(16 + random_() % 200);
    note(senders_[kind]->options().change(
        [&] { return lwip_setsockopt(sockets_[kind], IPPROTO_IP, IP_TTL, &ttl, sizeof ttl); }));
  }

  int change_route() {
    ip4_addr_t gateway;
    const WithinMonitor within;
    if (random_() % 2 == 0) {
      IP4_ADDR(&gateway, 10, 0, 0, static_cast<u8_t>(100 + random_() % 3));
      netif_set_gw(&wire_.netif, &gateway);
    } else {
      wire_set_mtu(&wire_, random_() % 2 == 0 ? 1500 : 700);
    }
    return 0;
  }

  static void note(long result) { std::printf("%ld %d\n", result, result < 0 ? errno : 0); }

  void take_frames() {
    for (const auto &frame : sent_) {
      for (const std::uint8_t byte : frame)
        std::printf("%02x", byte);
      std::printf("\n");
    }
    sent_.clear();
  }

  void report_code() {
    const struct sartor_device_figures figures = sartor_device_figures(device_);
    std::printf("code %u %u %" PRIu64 " %" PRIu64 " %.1f %" PRIu64 "\n",
                senders_[0]->calls + senders_[1]->calls,
                senders_[0]->by_variants + senders_[1]->by_variants, figures.code, figures.requests,
                static_cast<double>(figures.request_ns) / 1e6, figures.pages);
  }

  // Measures alternately; frames are not recorded meanwhile, and the driver drops them.
  void report_times() {
    constexpr int kRounds = 101;
    route_.change([&] {
      const WithinMonitor within;
      wire_set_driver(&wire_, wire_drop);
      return 0;
    });
    wait();
    for (int i = 0; i < 64; ++i) // data that waits for the window
      make_room();
    for (const Kind kind : {datagrams, stream}) {
      std::array<std::vector<double>, 2> times;
      for (int i = 0; i < kRounds; ++i)
        for (const bool is_generic : {true, false}) {
          times[is_generic ? 0 : 1].push_back(time_of(kind, is_generic));
          if (kind == stream)
            make_room();
        }
      for (std::vector<double> &each : times)
        std::ranges::nth_element(each, each.begin() + kRounds / 2);
      std::printf("time %s %.0f %.0f\n", kind == datagrams ? "udp64" : "tcp", times[0][kRounds / 2],
                  times[1][kRounds / 2]);
    }
  }

  double time_of(Kind kind, bool is_generic) {
    constexpr int kMessages = 8;
    const std::size_t size = kind == datagrams ? kSmall : kSegment;
    std::size_t sent = 0;
    const auto begin = Clock::now();
    for (int i = 0; i < kMessages; ++i)
      if (is_generic) {
        const WithinMonitor within;
        sent +=
            static_cast<std::size_t>(lwip_send(sockets_[kind], data_.data(), size, MSG_DONTWAIT));
      } else {
        sent += static_cast<std::size_t>((*senders_[kind])(data_.data(), size));
      }
    const std::chrono::duration<double, std::nano> taken = Clock::now() - begin;
    if (sent != kMessages * size)
      throw std::runtime_error("a message that is timed was not taken");
    return taken.count() / kMessages;
  }

  // Acknowledges explicitly, as the peer gets nothing from a driver that drops.
  void make_room() {
    peer_.expect(next_sequence(sockets_[stream]));
    peer_.acknowledge(65535);
  }

  sartor_device *device_;
  std::mt19937_64 random_;
  std::array<std::uint8_t, 4096> data_{};
  std::vector<std::vector<std::uint8_t>> sent_;
  Wire wire_{};
  Peer peer_{wire_, &sent_};
  std::array<int, 2> sockets_{};
  Invariants route_; ///< The interfaces and their state.
  std::array<std::optional<Sender>, 2> senders_;
};

int run(int count, char **words) {
  if (count != 3 && count != 6) {
    std::fprintf(stderr, "usage: send_device SEED STEPS [SERVER SERVER.pub DEVICE.key]\n");
    return 2;
  }
  std::optional<Device> device;
  if (count == 6)
    device.emplace(words[3], words[4], words[5]);
  // Never freed: lwIP's thread keeps running, and uses its interfaces.
  auto *host = new Host(std::strtoull(words[1], nullptr, 10), device ? device->get() : nullptr);
  host->run(std::strtoul(words[2], nullptr, 10));
  std::fflush(stdout);
  std::_Exit(0);
}

} // namespace
} // namespace sartor::send

int main(int count, char **words) {
  try {
    return sartor::send::run(count, words);
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
