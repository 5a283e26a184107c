// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A server with the right key that sends a device forbidden requests, and a relay without any key
// between a device and its server.
#include <atomic>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "../server/forward.h"
#include "../server/listener.h"
#include "../server/server_process.h"
#include "core/compiler/device_protocol.h"
#include "paths.h"
#include "remote/protocol/device_message.h"

namespace sartor::server {
namespace {

using remote::Kind;
using Type = core::NativeCall::Type;

/// Runs a device's program on the case `what` against the server at `path`; returns its exit
/// status.
int run_device(const std::string &what, const std::string &path, const ServerProcess &server) {
  const pid_t device = spawn({paths::device_programs() + "/device_program_x86_64", what,
                              "unix:" + path, server.file("server.pub")},
                             {});
  int status = -1;
  waitpid(device, &status, 0);
  return status;
}

/// A server's question to a device, and whether the device may answer it.
struct Question {
  const char *what;
  bool is_answered;
  Kind kind;
  std::string body;
};

Question call(const char *what, bool is_answered, core::NativeCall order,
              std::vector<std::uint64_t> invariants = {}) {
  return {what, is_answered, Kind::call, to_bytes(remote::CallOrder{std::move(invariants), order})};
}

Question page(const char *what, bool is_answered, std::uint64_t address, std::uint64_t size) {
  return {what, is_answered, Kind::page, to_bytes(remote::Page{address, size})};
}

std::vector<Question> questions_for(const remote::Customization &wanted) {
  const auto &list = wanted.regions.at(0);
  const std::uint64_t end = list.address + list.size;
  const std::uint64_t weight = wanted.symbols.at("weight_of");
  const std::uint64_t other = wanted.symbols.at("outside");
  const std::uint64_t secret = wanted.symbols.at("hidden_limit"); // in no invariant
  const Type result = Type::u32;
  const auto weigh = [&](std::uint64_t rule) {
    return core::NativeCall{weight, result, {Type::pointer, Type::u32}, {rule, 3}};
  };
  const auto typed = [&](Type returned, std::vector<Type> types, std::vector<std::uint64_t> bits) {
    return core::NativeCall{weight, returned, std::move(types), std::move(bits)};
  };
  return {
      call("a rule", true, weigh(list.address)),
      call("the last byte of the rules, and more behind it", false, weigh(end - 1)),
      call("no rule", false, weigh(0)),
      call("a byte before the rules", false, weigh(list.address - 1)),
      call("named memory that is not promised", false, weigh(secret)),
      call("an address told to be a number", false,
           typed(result, {Type::u64, Type::u32}, {secret, 3})),
      call("no address at all, told to be a number", false,
           typed(result, {Type::u64, Type::u32}, {0x4141414141, 3})),
      call("another result", false,
           typed(Type::u64, {Type::pointer, Type::u32}, {list.address, 3})),
      call("fewer arguments", false, typed(result, {Type::pointer}, {list.address})),
      call("another function", false,
           {other, result, {Type::pointer, Type::u32}, {list.address, 3}}),
      call("data", false, {list.address, result, {Type::pointer, Type::u32}, {list.address, 3}}),
      call("null", false, {0, result, {Type::pointer, Type::u32}, {list.address, 3}}),
      call("for a promise that was not given", false, weigh(list.address), {31}),
      call("for a promise that cannot be", false, weigh(list.address), {~std::uint64_t{0}}),
      page("invariant memory", true, list.address, 64),
      page("named memory", false, secret, 8),
      page("behind invariant memory", false, end - 8, 16),
      page("before invariant memory", false, list.address - 8, 16),
  };
}

/// Asks the questions, and returns their number.
unsigned ask_all(remote::Channel &device, const std::string &customization,
                 remote::Transcript &transcript) {
  const auto wanted = remote::from_bytes<remote::Customization>(customization);
  EXPECT_TRUE(wanted.has_value());
  unsigned asked = 0;
  for (const Question &each : wanted ? questions_for(*wanted) : std::vector<Question>()) {
    const auto said = ask(device, {each.kind, each.body}, transcript);
    EXPECT_TRUE(said.has_value()) << each.what;
    if (!said)
      break;
    const bool is_answered =
        each.kind == Kind::call ? !said->body.empty() && said->body[0] == 1 : !said->body.empty();
    EXPECT_EQ(is_answered, each.is_answered) << each.what;
    ++asked;
  }
  return asked;
}

TEST(ABadServerOfADevice, ReadsAndCallsNothingElse) {
  const ServerProcess server({"--modules", paths::device_modules()});
  std::atomic<unsigned> asked = 0;
  const std::string path = server.file("bad");
  const Listener listener(path, [&](int device) {
    forward(
        device, server,
        [&](remote::Channel &here, const remote::Frame &question, remote::Transcript &transcript) {
          if (question.kind == Kind::customize && asked == 0) // before the first image
            asked = ask_all(here, question.body, transcript);
          return true;
        });
  });
  EXPECT_EQ(run_device("invariant_memory", path, server), 0);
  EXPECT_GE(asked, 15U);
}

/// Forwards frames between a device and its server without a key; `change` may modify the frames
/// that the server sends.
void relay(int device, const ServerProcess &server,
           const std::function<std::string(unsigned number, std::string frame)> &change) {
  const int there = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  const std::string path = server.file("socket");
  std::memcpy(address.sun_path, path.data(), path.size());
  ASSERT_EQ(connect(there, reinterpret_cast<const sockaddr *>(&address), sizeof address), 0);
  const auto receive = [](int from) -> std::optional<std::string> {
    std::uint32_t length = 0;
    if (recv(from, &length, sizeof length, MSG_WAITALL) != sizeof length)
      return std::nullopt;
    std::string frame(length, '\0');
    if (recv(from, frame.data(), length, MSG_WAITALL) != static_cast<ssize_t>(length))
      return std::nullopt;
    return frame;
  };
  const auto send_to = [](int to, const std::string &frame) {
    const auto length = static_cast<std::uint32_t>(frame.size());
    (void)send(to, &length, sizeof length, MSG_NOSIGNAL);
    (void)send(to, frame.data(), frame.size(), MSG_NOSIGNAL);
  };
  std::thread back([&] {
    unsigned number = 0;
    while (auto frame = receive(there))
      send_to(device, change(number++, std::move(*frame)));
    shutdown(device, SHUT_RDWR);
  });
  while (const auto frame = receive(device))
    send_to(there, *frame);
  shutdown(there, SHUT_RDWR);
  back.join();
  close(there);
  close(device);
}

TEST(OnADevicesLine, NothingCanBeChangedOrMadeUp) {
  const ServerProcess server({"--modules", paths::device_modules()});
  const std::string path = server.file("line");
  const auto tampered = [&](const std::function<std::string(unsigned, std::string)> &change) {
    const Listener listener(path, [&](int device) { relay(device, server, change); });
    return run_device("forged", path, server);
  };
  for (unsigned changed = 0; changed < 4; ++changed)
    EXPECT_EQ(tampered([&](unsigned number, std::string frame) {
                if (number == changed)
                  frame.back() = static_cast<char>(frame.back() ^ 1);
                return frame;
              }),
              0)
        << changed;
  // Frames of an older protocol: a refusal, a call, a page.
  const std::string refusal =
      std::string(1, static_cast<char>(Kind::failed)) +
      remote::to_bytes(Failure{ErrorCode::unknown_label, "nobody", "says so\n(FORGED)", "x"});
  const std::string question =
      std::string(1, static_cast<char>(Kind::page)) + remote::to_bytes(remote::Page{0x1000, 8});
  for (const std::string &own : {refusal, question})
    for (unsigned changed = 1; changed < 4; ++changed)
      EXPECT_EQ(tampered([&](unsigned number, const std::string &frame) {
                  return number == changed ? own : frame;
                }),
                0)
          << changed;
}

} // namespace
} // namespace sartor::server
