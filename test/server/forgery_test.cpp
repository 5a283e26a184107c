// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A peer between a client and its server, on a connection without TLS.
#include <array>
#include <atomic>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "core/compiler/no_deadline.h"
#include "line.h"
#include "paths.h"
#include "remote/protocol/remote_compiler.h"
#include "remote/protocol/to_server.h"
#include "server_process.h"

namespace sartor::server {
namespace {

using remote::Kind;

/// Sends and receives whole frames without interpreting their contents.
class RawLine {
public:
  explicit RawLine(int socket) : socket_(socket) {}
  ~RawLine() { close(socket_); }
  RawLine(const RawLine &) = delete;
  RawLine &operator=(const RawLine &) = delete;

  void send(std::string_view frame) const {
    const auto length = static_cast<std::uint32_t>(frame.size());
    std::string bytes(reinterpret_cast<const char *>(&length), sizeof length);
    bytes += frame;
    for (std::string_view rest = bytes; !rest.empty();) {
      const ssize_t sent = ::send(socket_, rest.data(), rest.size(), MSG_NOSIGNAL);
      if (sent <= 0)
        return;
      rest.remove_prefix(static_cast<std::size_t>(sent));
    }
  }
  [[nodiscard]] std::optional<std::string> receive() const {
    std::uint32_t length = 0;
    if (recv(socket_, &length, sizeof length, MSG_WAITALL) != sizeof length)
      return std::nullopt;
    std::string frame(length, '\0');
    if (recv(socket_, frame.data(), length, MSG_WAITALL) != static_cast<ssize_t>(length))
      return std::nullopt;
    return frame;
  }
  [[nodiscard]] int socket() const { return socket_; }

private:
  int socket_;
};

enum class Way : unsigned char { to_server, to_client };

/// Connects to both a client and the server, and forwards frames as `change` modifies them.
/// `change` is called for each frame of each side, numbered from 0.
class Forger {
public:
  /// Returns the frames to forward in place of one.
  using Change = std::function<std::vector<std::string>(Way, unsigned number, std::string frame)>;

  Forger(const ServerProcess &server, Change change)
      : path_(server.file("forger")), server_(server), change_(std::move(change)) {
    listening_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const sockaddr_un address = address_of(path_);
    EXPECT_EQ(bind(listening_, reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
    EXPECT_EQ(listen(listening_, 10), 0);
    thread_ = std::thread([this] { run(); });
  }
  ~Forger() {
    shutdown(listening_, SHUT_RDWR);
    thread_.join();
    close(listening_);
    unlink(path_.c_str());
  }
  Forger(const Forger &) = delete;
  Forger &operator=(const Forger &) = delete;

  [[nodiscard]] CompilerServer how() const {
    return {"unix:" + path_, server_.file("server.pub"), {}};
  }

private:
  static sockaddr_un address_of(const std::string &path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    return address;
  }
  void run() {
    for (int client = 0; (client = accept(listening_, nullptr, nullptr)) >= 0;) {
      const RawLine here(client);
      const RawLine there(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
      const sockaddr_un address = address_of(server_.file("socket"));
      EXPECT_EQ(
          connect(there.socket(), reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
      std::thread back([&] { pass(there, here, Way::to_client); });
      pass(here, there, Way::to_server);
      back.join();
    }
  }
  void pass(const RawLine &from, const RawLine &to, Way way) {
    unsigned number = 0;
    while (auto frame = from.receive())
      for (const std::string &each : change_(way, number++, std::move(*frame)))
        to.send(each);
    shutdown(to.socket(), SHUT_RDWR);
    shutdown(from.socket(), SHUT_RDWR);
  }

  std::string path_;
  const ServerProcess &server_;
  Change change_;
  int listening_;
  std::thread thread_;
};

/// The results of requesting a variant for each of the values, one after the other.
std::vector<std::optional<ErrorCode>> ask(const CompilerServer &how, std::vector<int> values) {
  remote::ToServer way(how);
  remote::RemoteCompiler compiler(way);
  std::ifstream input(paths::points(), std::ios::binary);
  auto loaded =
      compiler.load_file(paths::points(), std::string(std::istreambuf_iterator<char>(input), {}));
  if (!loaded)
    return {loaded.error().code};
  const auto module = std::make_shared<const core::HandlerModule>(std::move(*loaded));
  const auto maker = compiler.make_maker(module);
  std::vector<std::optional<ErrorCode>> codes;
  for (const int value : values) {
    core::Context context;
    context.handler = kinds_in(*module);
    context.configuration = {{"generic", value}};
    const auto draft = maker->draft(context, "kinds", {}, core::NoDeadline());
    const auto image = draft ? (*draft)->make(core::NoDeadline()) : std::unexpected(draft.error());
    codes.push_back(image ? std::nullopt : std::optional(image.error().code));
  }
  return codes;
}

/// The number of frames that each side sends on a connection for a variant: opening, greeting,
/// use_module, draft.
constexpr unsigned kFrames = 4;

TEST(AForger, IsNotNoticedIfItChangesNothing) {
  const ServerProcess server;
  const Forger forger(
      server, [](Way, unsigned, std::string frame) { return std::vector{std::move(frame)}; });
  for (const auto &code : ask(forger.how(), {1, 2}))
    EXPECT_EQ(code, std::nullopt);
}

void expect_refusal(const Forger &forger, const std::string &what) {
  const auto code = ask(forger.how(), {1}).front();
  EXPECT_TRUE(code == ErrorCode::server_refused || code == ErrorCode::compiler_lost)
      << what << ": " << (code ? static_cast<int>(*code) : 0);
}

TEST(AForger, CannotChangeAFrameOfEitherSide) {
  const ServerProcess server;
  for (const Way way : {Way::to_server, Way::to_client})
    for (unsigned changed = 0; changed < kFrames; ++changed)
      for (const double part : {0.0, 0.3, 0.9, 1.0}) {
        const Forger forger(server, [&](Way at, unsigned number, std::string frame) {
          if (at == way && number == changed)
            frame[static_cast<std::size_t>(part * static_cast<double>(frame.size() - 1))] ^= 1;
          return std::vector{std::move(frame)};
        });
        // The client's first frame names the server keys that it accepts. Here it is one.
        if (way == Way::to_server && changed == 0 && part > 0.8)
          continue;
        expect_refusal(forger, std::to_string(static_cast<int>(way)) + " frame " +
                                   std::to_string(changed) + " at " + std::to_string(part));
      }
}

TEST(AForger, CannotRepeatLeaveOutCutOrReflectFrames) {
  const ServerProcess server;
  std::string of_client = "nothing yet";
  using Frames = std::vector<std::string>;
  const std::vector<std::function<Frames(std::string)>> ways{
      [](const std::string &frame) { return Frames{frame, frame}; },
      [](const std::string &) { return Frames{}; },
      [](const std::string &frame) { return Frames{frame.substr(0, frame.size() / 2)}; },
      [](const std::string &frame) { return Frames{frame.substr(0, 1)}; },
      [&](const std::string &) { return Frames{of_client}; },
  };
  for (std::size_t way = 0; way < ways.size(); ++way)
    for (unsigned changed = 0; changed < 3; ++changed) {
      std::atomic<bool> is_done = false;
      const Forger forger(server, [&](Way at, unsigned number, std::string frame) {
        if (at == Way::to_server) {
          of_client = frame;
          return Frames{std::move(frame)};
        }
        if (number != changed || is_done.exchange(true))
          return Frames{std::move(frame)};
        auto passed = ways[way](std::move(frame));
        // Nothing else follows, so the client does not have to wait for it.
        return passed.empty() ? Frames{std::string(1, '\x11')} : passed;
      });
      // A repeated frame is detected where another frame is expected.
      (void)ask(forger.how(), {1});
      if (way > 0)
        is_done = false,
        expect_refusal(forger, std::to_string(way) + " " + std::to_string(changed));
    }
}

// Without a key of the channel, or before the channel is open.
TEST(AForger, CannotSayAnythingOfItsOwn) {
  const ServerProcess server;
  const std::string failure(1, static_cast<char>(Kind::failed));
  for (const std::string &own :
       {failure + remote::to_bytes(Failure{ErrorCode::server_refused, "the server",
                                           "says so\n\x1b[31mforged", "x"}),
        std::string(1, static_cast<char>(Kind::call)) +
            remote::to_bytes(remote::CallOrder{{}, {0x4141, {}, {}, {}}}),
        std::string(1, static_cast<char>(Kind::page)) + std::string(16, 'A'),
        std::string(1, static_cast<char>(Kind::done))})
    for (unsigned before = 0; before < 4; ++before) {
      const Forger forger(server, [&](Way at, unsigned number, std::string frame) {
        return at == Way::to_client && number == before ? std::vector{own, std::move(frame)}
                                                        : std::vector{std::move(frame)};
      });
      expect_refusal(forger, std::to_string(before));
      const auto why = remote::ToServer(forger.how()).connect([] { return true; });
      if (!why)
        EXPECT_EQ(why.error().text().find("forged"), std::string::npos) << why.error().text();
    }
}

} // namespace
} // namespace sartor::server
