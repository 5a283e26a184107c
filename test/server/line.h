// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// A client of a server that can send arbitrary bytes.
#ifndef SARTOR_TEST_SERVER_LINE_H
#define SARTOR_TEST_SERVER_LINE_H

#include <chrono>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/build_stamp.h"
#include "base/hash.h"
#include "base/keys.h"
#include "core/image/processor.h"
#include "core/space/stored_module.h"
#include "remote/protocol/channel.h"
#include "remote/protocol/message.h"
#include "remote/protocol/opening.h"

namespace sartor::server {

using remote::always;

inline remote::Hello good_hello() {
  const auto levels = core::levels_of_this_processor();
  return {
      remote::kProtocol, base::kBuildStamp, core::this_processor(), {levels.begin(), levels.end()}};
}

class Line {
public:
  /// `opens`: whether the constructor opens the channel, as a client does first.
  explicit Line(const std::string &path, bool opens = true) {
    const int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path.data(), path.size());
    EXPECT_EQ(connect(made, reinterpret_cast<const sockaddr *>(&address), sizeof address), 0)
        << path;
    take(std::make_unique<remote::SocketStream>(made));
    if (opens)
      open();
  }

  void open() {
    const remote::Opening opening({});
    const auto answer = ask_and_hear(remote::Kind::open, opening.message());
    ASSERT_TRUE(answer.has_value());
    const auto opened = opening.finish(answer->body);
    ASSERT_TRUE(opened.has_value());
    channel_->seal(opened->seal, remote::kMostAnswer);
  }
  explicit Line(std::unique_ptr<remote::Stream> stream) { take(std::move(stream)); }

  /// Returns false if the peer accepts no more bytes.
  bool say(std::string_view bytes) const {
    while (!bytes.empty()) {
      const auto sent = stream_->write(bytes, std::chrono::milliseconds(100));
      if (!sent)
        return false;
      bytes.remove_prefix(*sent);
    }
    return true;
  }
  bool ask(remote::Kind kind, const std::string &body) {
    return channel_->send(kind, body, always).has_value();
  }
  /// Returns nothing if the peer has closed the connection.
  std::optional<remote::Frame> hear() {
    auto frame = channel_->receive(always);
    return frame ? std::move(*frame) : std::nullopt;
  }
  std::optional<remote::Frame> ask_and_hear(remote::Kind kind, const std::string &body) {
    ask(kind, body);
    return hear();
  }
  /// The failure that the peer reports.
  std::optional<Failure> refusal() {
    const auto frame = hear();
    return frame && frame->kind == remote::Kind::failed ? remote::from_bytes<Failure>(frame->body)
                                                        : std::nullopt;
  }
  bool has_ended() { return !hear(); }

  /// Sends a greeting and the module in a file. Afterwards, its handlers can be requested.
  core::HandlerModule open(const std::string &file) {
    EXPECT_EQ(ask_and_hear(remote::Kind::hello, remote::to_bytes(good_hello()))->kind,
              remote::Kind::welcome);
    std::ifstream input(file, std::ios::binary);
    const std::string content(std::istreambuf_iterator<char>(input), {});
    auto answer =
        ask_and_hear(remote::Kind::load_file, remote::to_bytes(remote::ModuleFile{file, content}));
    EXPECT_EQ(answer->kind, remote::Kind::module);
    answer->body.resize(answer->body.size() - sizeof(base::Signature));
    use(answer->body);
    return *core::unpack_module(answer->body);
  }
  void use(const std::string &packed) {
    if (ask_and_hear(remote::Kind::use_module, base::to_text(base::hash_of({packed})))->kind ==
        remote::Kind::unknown)
      EXPECT_EQ(ask_and_hear(remote::Kind::give_module, packed)->kind, remote::Kind::done);
  }

private:
  void take(std::unique_ptr<remote::Stream> stream) {
    stream_ = stream.get();
    channel_ = std::make_unique<remote::Channel>(std::move(stream), std::size_t{1} << 30);
  }

  remote::Stream *stream_ = nullptr;
  std::unique_ptr<remote::Channel> channel_;
};

/// The handler `kinds` in test/point/points.cpp.
inline std::string kinds_in(const core::HandlerModule &module) {
  for (const auto &handler : module.handlers)
    if (handler.name.contains("kinds"))
      return handler.name;
  ADD_FAILURE() << "no handler";
  return {};
}

/// A request for a variant of `kinds`.
inline remote::DraftOrder order_of(const core::HandlerModule &module, int value) {
  remote::DraftOrder order;
  order.handler = kinds_in(module);
  order.symbol = "kinds";
  order.configuration = {{"generic", value}};
  order.at_once = true;
  return order;
}

} // namespace sartor::server

#endif
