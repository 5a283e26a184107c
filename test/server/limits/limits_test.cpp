// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// Clients, and peers without a key, that try to exhaust the server's resources for others.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include "../line.h"
#include "../server_process.h"
#include "over_tls.h"
#include "paths.h"
#include "remote/protocol/device_message.h"
#include "remote/protocol/opening.h"

namespace sartor::server {
namespace {

using namespace std::chrono_literals;
using remote::Kind;
using ::testing::HasSubstr;

constexpr std::size_t kMebibyte = 1U << 20;

// The memory of sanitizers is part of the process's memory.
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
constexpr bool kCountsShadow = true;
#else
constexpr bool kCountsShadow = false;
#endif

/// The beginning of a frame that announces `bytes` bytes.
std::string announcement(std::size_t bytes, Kind kind) {
  const auto length = static_cast<std::uint32_t>(bytes);
  std::string text(sizeof length, '\0');
  std::memcpy(text.data(), &length, sizeof length);
  return text + static_cast<char>(kind);
}

std::string hash_text(const std::string &bytes) { return base::to_text(base::hash_of({bytes})); }

/// A request for a handler of a module, with one generic point.
remote::DraftOrder order_of(const core::HandlerModule &module, std::string_view handler,
                            const std::string &label, std::uint64_t value) {
  remote::DraftOrder order;
  for (const auto &each : module.handlers)
    if (each.name.contains(handler))
      order.handler = each.name;
  order.symbol = "variant";
  order.configuration.set(label, Value(value));
  order.at_once = true;
  return order;
}

/// A server with little memory. The attacker is the client "one", by TLS; the victim another user
/// of the machine.
class Attacked {
public:
  explicit Attacked(std::vector<std::string> more = {}, std::size_t memory = 128)
      : memory_(memory * kMebibyte), server_([&] {
          more.insert(more.end(), {"--memory", std::to_string(memory) + "MiB", "--workers", "1"});
          return std::move(more);
        }()) {}

  [[nodiscard]] const ServerProcess &server() const { return server_; }
  [[nodiscard]] std::unique_ptr<OverTls> connect() const {
    return std::make_unique<OverTls>(server_.port(), server_.file("clients/one.key"));
  }
  [[nodiscard]] Line attacker() const { return Line(connect()); }
  /// A connection after the greeting.
  [[nodiscard]] Line guest() const {
    Line line = attacker();
    const auto welcome = line.ask_and_hear(Kind::hello, to_bytes(good_hello()));
    EXPECT_TRUE(welcome && welcome->kind == Kind::welcome);
    return line;
  }
  [[nodiscard]] Line victim() const { return Line(server_.file("socket")); }

  /// Checks that other clients are served: sends a request that was never sent before.
  void expect_served() {
    Line line = victim();
    const auto module = line.open(paths::points());
    const auto answer =
        line.ask_and_hear(Kind::draft, to_bytes(order_of(module, "kinds", "generic", ++asked_)));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->kind, Kind::drafted);
  }
  /// Resident memory of the server's process, without its compilers.
  [[nodiscard]] std::size_t resident() const {
    std::ifstream file("/proc/" + std::to_string(server_.pid()) + "/statm");
    std::size_t all = 0;
    std::size_t pages = 0;
    file >> all >> pages;
    return pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  }
  /// The number of descriptors that the server has open.
  [[nodiscard]] std::size_t descriptors() const {
    const auto all =
        std::filesystem::directory_iterator("/proc/" + std::to_string(server_.pid()) + "/fd");
    return static_cast<std::size_t>(std::distance(begin(all), end(all)));
  }
  void expect_within_memory() const {
    if (!kCountsShadow)
      EXPECT_LE(resident(), memory_ + memory_ / 5) << "of " << memory_;
  }

private:
  std::size_t memory_;
  ServerProcess server_;
  std::uint64_t asked_ = 0;
};

TEST(Announcements, TakeNoMemory) {
  Attacked attacked;
  std::vector<Line> lines;
  for (int i = 0; i < 40; ++i)
    EXPECT_TRUE(
        lines.emplace_back(attacked.guest()).say(announcement(64 * kMebibyte, Kind::load_file)));
  attacked.expect_served();
  attacked.expect_within_memory();
}

TEST(Announcements, TakeNoMemoryBeforeTheGreeting) {
  Attacked attacked;
  std::vector<Line> lines;
  for (int i = 0; i < 40; ++i)
    EXPECT_TRUE(
        lines.emplace_back(attacked.attacker()).say(announcement(32 * kMebibyte, Kind::hello)));
  EXPECT_THAT(lines.front().refusal()->message, HasSubstr("too large"));
  attacked.expect_served();
}

TEST(Announcements, MayBeFollowedByteByByte) {
  Attacked attacked;
  std::vector<Line> lines;
  for (int i = 0; i < 40; ++i)
    lines.emplace_back(attacked.guest()).say(announcement(64 * kMebibyte, Kind::give_module));
  std::atomic<bool> stop = false;
  std::thread drip([&] {
    while (!stop)
      for (const Line &line : lines) {
        line.say("x");
        std::this_thread::sleep_for(1ms);
      }
  });
  for (int i = 0; i < 3; ++i)
    attacked.expect_served();
  attacked.expect_within_memory();
  stop = true;
  drip.join();
}

TEST(Announcements, TakeWhatHasArrivedAndNoMoreThanAClientMay) {
  Attacked attacked;
  std::vector<Line> lines;
  const std::string most(60 * kMebibyte, 'x');
  for (int i = 0; i < 4; ++i) {
    Line &line = lines.emplace_back(attacked.guest());
    line.say(announcement(64 * kMebibyte, Kind::load_file));
    line.say(most);
  }
  EXPECT_THAT(lines.back().refusal()->remedy, HasSubstr("--memory-of-client"));
  attacked.expect_served();
  attacked.expect_within_memory();
}

/// Connections of peers that send nothing, or less than a whole message.
class Crowd {
public:
  Crowd(int port, int number, std::string_view beginning) {
    for (int i = 0; i < number; ++i) {
      sockets_.push_back(connect_to_port(port));
      (void)::send(sockets_.back(), beginning.data(), beginning.size(), MSG_NOSIGNAL);
    }
  }
  ~Crowd() {
    for (const int each : sockets_)
      close(each);
  }
  Crowd(const Crowd &) = delete;
  Crowd &operator=(const Crowd &) = delete;

  /// The number of connections that the server has not closed.
  [[nodiscard]] std::size_t left() const {
    return static_cast<std::size_t>(std::ranges::count_if(sockets_, [](int socket) {
      char byte = 0;
      return recv(socket, &byte, 1, MSG_DONTWAIT | MSG_PEEK) < 0 && errno == EAGAIN;
    }));
  }

private:
  std::vector<int> sockets_;
};

/// The beginning of TLS's first message.
constexpr std::string_view kHalfHello("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 and so on", 21);

TEST(PeersWithoutAKey, DoNotLockOutClients) {
  for (const std::string_view beginning : {std::string_view(), kHalfHello}) {
    Attacked attacked({"--unknown-connections", "40", "--connections", "100"});
    const Crowd crowd(attacked.server().port(), 400, beginning);
    Line client = attacked.guest(); // the client has to prove its key
    EXPECT_EQ(client.ask_and_hear(Kind::use_module, std::string(64, '0'))->kind, Kind::unknown);
    if (!beginning.empty()) // the others are in the kernel's backlog
      EXPECT_LE(crowd.left(), 40U);
    attacked.expect_served();
    attacked.expect_within_memory();
  }
}

/// The port at which the server listens for devices.
int devices_port(const ServerProcess &server) {
  std::string address;
  while (std::ranges::count(server.log(), '\n') < 3 || address.empty())
    address = server.for_devices();
  return std::stoi(address.substr(address.rfind(':') + 1));
}

TEST(PeersWithoutAKey, DoNotLockOutClientsFromTheDevicesPort) {
  Attacked attacked({"--unknown-connections", "40", "--connections", "100", "--listen-devices",
                     "tcp://127.0.0.1:0"});
  // A frame that opens a channel, without its end.
  const Crowd crowd(devices_port(attacked.server()), 400, announcement(33, Kind::open) + "a key");
  Line client = attacked.guest();
  EXPECT_EQ(client.ask_and_hear(Kind::use_module, std::string(64, '0'))->kind, Kind::unknown);
  EXPECT_LE(crowd.left(), 40U);
  attacked.expect_served();
  attacked.expect_within_memory();
}

TEST(AClientWithManyConnections, LeavesSomeForOthers) {
  Attacked attacked({"--connections-of-client", "50"});
  std::vector<Line> lines;
  for (int i = 0; i < 50; ++i)
    lines.push_back(attacked.guest());
  Line more = attacked.attacker();
  more.ask(Kind::hello, to_bytes(good_hello()));
  EXPECT_THAT(more.refusal()->remedy, HasSubstr("--connections-of-client"));
  attacked.expect_served();
}

TEST(AClientWithManyConnections, TakesNoneFromOthersByThoseThatAreRefused) {
  Attacked attacked({"--connections-of-client", "10", "--connections", "12"});
  std::vector<Line> lines;
  for (int i = 0; i < 10; ++i)
    lines.push_back(attacked.guest());
  // The server ends these, and then waits for a while until the client does so, too.
  for (int i = 0; i < 40; ++i)
    lines.push_back(attacked.attacker());
  attacked.expect_served();
}

TEST(Modules, ThatConnectionsUseAreCounted) {
  Attacked attacked;
  std::vector<Line> lines;
  std::optional<Failure> refused;
  for (int i = 0; i < 10; ++i) {
    Line &line = lines.emplace_back(attacked.guest());
    std::string module(30 * kMebibyte, 'm');
    module[0] = static_cast<char>(i);
    ASSERT_EQ(line.ask_and_hear(Kind::use_module, hash_text(module))->kind, Kind::unknown);
    line.ask(Kind::give_module, module);
    if (auto why = line.refusal())
      refused = why;
    attacked.expect_within_memory();
  }
  ASSERT_TRUE(refused);
  EXPECT_THAT(refused->remedy, HasSubstr("--memory-of-client"));
  attacked.expect_served();
}

TEST(Modules, ThatAreTinyAreCountedByWhatTheyTake) {
  Attacked attacked({"--memory-of-client", "2MiB", "--largest-request", "1MiB"});
  Line line = attacked.guest();
  const auto name = [](int i) { return "module " + std::to_string(i); };
  for (int i = 0; i < 6000; ++i) {
    line.ask_and_hear(Kind::use_module, hash_text(name(i)));
    ASSERT_EQ(line.ask_and_hear(Kind::give_module, name(i))->kind, Kind::done) << i;
  }
  EXPECT_EQ(line.ask_and_hear(Kind::use_module, hash_text(name(5999)))->kind, Kind::done);
  EXPECT_EQ(line.ask_and_hear(Kind::use_module, hash_text(name(0)))->kind, Kind::unknown);
  attacked.expect_served();
}

TEST(Modules, AreNotNamedByWhatIsNoHash) {
  Attacked attacked;
  Line line = attacked.guest();
  line.ask(Kind::use_module, std::string(10 * kMebibyte, 'f'));
  EXPECT_THAT(line.refusal()->message, HasSubstr("digits"));
  attacked.expect_within_memory();
}

TEST(Modules, OfAClientAreNotShownToAnother) {
  Attacked attacked;
  const std::string module = "a module that the victim has";
  Line victim = attacked.victim();
  victim.ask_and_hear(Kind::hello, to_bytes(good_hello()));
  EXPECT_EQ(victim.ask_and_hear(Kind::use_module, hash_text(module))->kind, Kind::unknown);
  EXPECT_EQ(victim.ask_and_hear(Kind::give_module, module)->kind, Kind::done);
  EXPECT_EQ(victim.ask_and_hear(Kind::use_module, hash_text(module))->kind, Kind::done);
  EXPECT_EQ(attacked.guest().ask_and_hear(Kind::use_module, hash_text(module))->kind,
            Kind::unknown);
}

TEST(Greetings, AreBounded) {
  Attacked attacked;
  for (int i = 0; i < 6; ++i) {
    Line line = attacked.attacker();
    auto hello = good_hello();
    hello.processor = "another processor";
    hello.levels.push_back(std::string(30 * kMebibyte, static_cast<char>('a' + i)));
    line.ask(Kind::hello, to_bytes(hello));
    const auto why = line.refusal();
    EXPECT_TRUE(why && why->message.contains("too large"));
  }
  // Nor after a small request.
  Line line = attacked.guest();
  line.ask(Kind::hello, std::string(kMebibyte, 'x'));
  EXPECT_THAT(line.refusal()->message, HasSubstr("too large"));
  attacked.expect_within_memory();
  attacked.expect_served();
}

TEST(Answers, HaveALimit) {
  Attacked attacked({"--largest-answer", "1MiB"});
  Line line = attacked.guest();
  std::ifstream input(paths::large_handler(), std::ios::binary);
  const std::string content(std::istreambuf_iterator<char>(input), {});
  line.ask(Kind::load_file, to_bytes(remote::ModuleFile{"large", content}));
  const auto why = line.refusal();
  ASSERT_TRUE(why);
  EXPECT_EQ(why->code, ErrorCode::server_refused);
  EXPECT_THAT(why->remedy, HasSubstr("--largest-answer"));
  attacked.expect_served();
}

TEST(Answers, ThatAreNotReadAreCountedAndGivenUp) {
  Attacked attacked({"--largest-request", "8MiB"});
  std::ifstream input(paths::large_handler(), std::ios::binary);
  const std::string content(std::istreambuf_iterator<char>(input), {});
  const std::size_t before = attacked.descriptors();
  std::vector<std::unique_ptr<Line>> lines;
  for (int i = 0; i < 30; ++i) {
    auto stream = attacked.connect();
    const int small = 4096;
    setsockopt(stream->socket(), SOL_SOCKET, SO_RCVBUF, &small, sizeof small);
    Line &line = *lines.emplace_back(std::make_unique<Line>(std::move(stream)));
    line.ask_and_hear(Kind::hello, to_bytes(good_hello()));
    line.ask(Kind::load_file, to_bytes(remote::ModuleFile{std::to_string(i), content}));
  }
  attacked.expect_served(); // behind the waiting requests
  attacked.expect_within_memory();
  // The server drops answers that are not read. A compiler for the client has been started.
  const auto until = std::chrono::steady_clock::now() + 200s;
  while (attacked.descriptors() > before + 15 && std::chrono::steady_clock::now() < until)
    std::this_thread::sleep_for(100ms);
  EXPECT_LE(attacked.descriptors(), before + 15);
}

TEST(LargeDrafts, AreReadWhileOthersAreServed) {
  Attacked attacked({"--largest-request", "96MiB"}, 512);
  Line victim = attacked.victim();
  const auto module = victim.open(paths::points());
  const std::string wanted = to_bytes(order_of(module, "kinds", "generic", 1));
  EXPECT_EQ(victim.ask_and_hear(Kind::draft, wanted)->kind, Kind::drafted);
  // Refused only after it was read, so that the server has to read all of it.
  remote::DraftOrder large = order_of(module, "kinds", "generic", 2);
  large.at_once = false;
  large.memory.emplace();
  for (int i = 0; i < 2'000'000; ++i)
    large.memory->symbols.emplace_hint(large.memory->symbols.end(), std::to_string(10'000'000 + i),
                                       i);
  const std::string bytes = announcement(1 + to_bytes(large).size(), Kind::draft) + to_bytes(large);
  large = {};
  bool served = false;
  for (int round = 0; round < 10 && !served; ++round) {
    auto stream = attacked.connect();
    OverTls &tls = *stream;
    Line attacker(std::move(stream));
    attacker.ask_and_hear(Kind::hello, to_bytes(good_hello()));
    attacker.use(core::pack_module(module));
    ASSERT_TRUE(attacker.say(bytes));
    for (int i = 0; i < 5; ++i)
      EXPECT_EQ(victim.ask_and_hear(Kind::draft, wanted)->kind, Kind::drafted);
    pollfd answered{tls.socket(), POLLIN, 0};
    served = poll(&answered, 1, 0) == 0; // five answers, while the attacker has none yet
    EXPECT_EQ(attacker.refusal()->code, ErrorCode::server_refused);
  }
  EXPECT_TRUE(served);
  attacked.expect_within_memory();
}

/// The number of requests of the client "one" that were answered from the source `from`.
int answered(const Attacked &attacked, const std::string &from) {
  const int socket = connect_to_port(attacked.server().metrics_port());
  const std::string question = "GET /metrics HTTP/1.1\r\nHost: here\r\nConnection: close\r\n\r\n";
  (void)::send(socket, question.data(), question.size(), MSG_NOSIGNAL);
  std::string text;
  std::array<char, 4096> bytes{};
  for (ssize_t taken = 1; taken > 0;) {
    taken = recv(socket, bytes.data(), bytes.size(), 0);
    text.append(bytes.data(), static_cast<std::size_t>(std::max<ssize_t>(taken, 0)));
  }
  close(socket);
  EXPECT_THAT(text, HasSubstr("sartor_server_requests_total"));
  const std::string line = "sartor_server_requests_total{client=\"one\",from=\"" + from + "\"} ";
  const auto at = text.find(line);
  return at == std::string::npos ? 0 : std::stoi(text.substr(at + line.size()));
}

/// Loads a module and requests a variant.
void ask_both(Line line) {
  const auto module = line.open(paths::points());
  const auto answer =
      line.ask_and_hear(Kind::draft, to_bytes(order_of(module, "kinds", "generic", 1234)));
  EXPECT_TRUE(answer && answer->kind == Kind::drafted);
}

TEST(Tenants, DoNotShareAnswers) {
  const Attacked attacked({"--metrics", "0"});
  ask_both(attacked.victim());
  ask_both(attacked.attacker());
  EXPECT_EQ(answered(attacked, "made"), 2);
  EXPECT_EQ(answered(attacked, "memory"), 0);
  ask_both(attacked.attacker());
  EXPECT_EQ(answered(attacked, "memory"), 2);
}

TEST(Tenants, DoNotShareAnswersOnDisk) {
  const auto directory =
      std::filesystem::temp_directory_path() / ("sartor_limits_test_" + std::to_string(getpid()));
  {
    const Attacked attacked({"--cache-dir", directory});
    ask_both(attacked.victim());
  }
  const Attacked attacked({"--cache-dir", directory, "--metrics", "0"});
  ask_both(attacked.attacker());
  EXPECT_EQ(answered(attacked, "made"), 2);
  EXPECT_EQ(answered(attacked, "disk"), 0);
  std::filesystem::remove_all(directory);
}

TEST(Tenants, ShareAnswersIfTheyAreInOneGroup) {
  const Attacked attacked(
      {"--metrics", "0", "--group", "team=one,uid " + std::to_string(getuid())});
  ask_both(attacked.victim());
  ask_both(attacked.attacker());
  EXPECT_EQ(answered(attacked, "made"), 0);
  EXPECT_EQ(answered(attacked, "memory"), 2);
}

/// A connection at the port for devices that has proved to have `key_file`.
class Device {
public:
  explicit Device(const ServerProcess &server, const char *key_file = "devices/device.key")
      : channel_(std::make_unique<remote::SocketStream>(connect_to_port(devices_port(server))),
                 std::size_t{1} << 30) {
    const remote::Opening opening({});
    const auto answer = ask(Kind::open, opening.message());
    const auto opened = opening.finish(answer.body);
    if (!opened)
      throw std::runtime_error("the channel does not open");
    channel_.seal(opened->seal, remote::kMostAnswer);
    const auto key = base::SecretKey::read(server.file(key_file));
    const auto mine = key->public_key();
    const auto signature = key->sign(remote::device_proof_text(opened->binding));
    std::string proof(mine.begin(), mine.end());
    proof.append(signature.begin(), signature.end());
    (void)channel_.send(Kind::proof, proof, always);
  }
  remote::Frame ask(Kind kind, const std::string &body) {
    (void)channel_.send(kind, body, always);
    auto answer = channel_.receive(always);
    return answer && *answer ? std::move(**answer) : remote::Frame();
  }
  std::string refusal(Kind kind, const std::string &body) {
    const auto answer = ask(kind, body);
    const auto failure = remote::from_bytes<Failure>(answer.body);
    return answer.kind == Kind::failed && failure ? failure->message : "not refused";
  }

private:
  remote::Channel channel_;
};

TEST(Protocols, OfProgramsAreNotSpokenAtTheDevicesPort) {
  const Attacked attacked({"--listen-devices", "tcp://127.0.0.1:0"});
  EXPECT_THAT(Device(attacked.server()).refusal(Kind::hello, to_bytes(good_hello())),
              HasSubstr("greeting of a device"));
  for (const Kind kind : {Kind::load_file, Kind::give_module, Kind::draft}) {
    Device device(attacked.server());
    EXPECT_EQ(
        device.ask(Kind::device_hello, to_bytes(remote::DeviceHello{.target = "x86-64"})).kind,
        Kind::welcome);
    EXPECT_THAT(device.refusal(kind, ""), HasSubstr("after such a greeting"));
  }
}

TEST(Protocols, OfDevicesAreNotSpokenWithAClientsKey) {
  const Attacked attacked({"--listen-devices", "tcp://127.0.0.1:0"});
  const std::string hello = to_bytes(remote::DeviceHello{.target = "x86-64"});
  EXPECT_EQ(Device(attacked.server()).ask(Kind::device_hello, hello).kind, Kind::welcome);
  EXPECT_NE(Device(attacked.server(), "clients/one.key").ask(Kind::device_hello, hello).kind,
            Kind::welcome);
  EXPECT_THAT(attacked.server().log(), HasSubstr("reason=wrong_role"));
}

TEST(Protocols, AreNotMixed) {
  Attacked attacked;
  Line program = attacked.guest();
  program.ask(Kind::customize, to_bytes(remote::Customization{}));
  EXPECT_THAT(program.refusal()->message, HasSubstr("after such a greeting"));
  EXPECT_TRUE(program.has_ended());
  Line again = attacked.guest();
  again.ask(Kind::device_hello, to_bytes(remote::DeviceHello{.target = "x86-64"}));
  EXPECT_THAT(again.refusal()->message, HasSubstr("after such a greeting"));
  for (const Kind kind : {Kind::hello, Kind::load_embedded, Kind::load_file, Kind::check_pipeline,
                          Kind::give_module, Kind::draft, Kind::entry_function, Kind::rotation_stub,
                          Kind::checking_stub, Kind::quarantine}) {
    Line device = attacked.victim();
    device.ask_and_hear(Kind::device_hello, to_bytes(remote::DeviceHello{.target = "x86-64"}));
    device.ask(kind, kind == Kind::hello ? to_bytes(good_hello()) : std::string());
    const auto why = device.refusal();
    ASSERT_TRUE(why) << static_cast<int>(kind);
    EXPECT_THAT(why->message, HasSubstr("after such a greeting"));
  }
}

} // namespace
} // namespace sartor::server
