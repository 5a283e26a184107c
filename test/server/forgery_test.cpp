// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Somebody between a client and its server, where TLS does not keep him out.
#include <array>
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

#include "compiler/no_deadline.h"
#include "line.h"
#include "remote/remote_compiler.h"
#include "remote/to_server.h"
#include "server_process.h"

namespace sartor::server {
namespace {

using remote::Frame;
using remote::Kind;

/// Passes frames on, answers as `change` makes them.
class Forger {
public:
  using Change = std::function<void(Frame &answer)>;

  Forger(const ServerProcess &server, Change change)
      : path_(server.file("forger")), server_(server), change_(std::move(change)) {
    listening_ = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, path_.data(), path_.size());
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
  void run() {
    for (int client = 0; (client = accept(listening_, nullptr, nullptr)) >= 0;) {
      remote::Channel here(std::make_unique<remote::SocketStream>(client), std::size_t{1} << 30);
      Line there(server_.file("socket"));
      for (;;) {
        const auto question = here.receive(always);
        if (!question || !*question || !there.ask((*question)->kind, (*question)->body))
          break;
        auto answer = there.hear();
        if (!answer)
          break;
        change_(*answer);
        if (!here.send(answer->kind, answer->body, always))
          break;
      }
    }
  }

  std::string path_;
  const ServerProcess &server_;
  Change change_;
  int listening_;
  std::thread thread_;
};

/// What comes of asking for a variant by that way, for each of the values one after the other.
std::vector<std::optional<ErrorCode>> ask(const CompilerServer &how, std::vector<int> values) {
  remote::ToServer way(how);
  remote::RemoteCompiler compiler(way);
  std::ifstream input(SARTOR_TEST_POINTS, std::ios::binary);
  auto loaded = compiler.load_file(SARTOR_TEST_POINTS,
                                   std::string(std::istreambuf_iterator<char>(input), {}));
  if (!loaded)
    return {loaded.error().code};
  const auto module = std::make_shared<const point::HandlerModule>(std::move(*loaded));
  const auto maker = compiler.make_maker(module);
  std::vector<std::optional<ErrorCode>> codes;
  for (const int value : values) {
    specialize::Context context;
    context.handler = kinds_in(*module);
    context.configuration = {{"generic", value}};
    const auto draft = maker->draft(context, "kinds", {}, jit::NoDeadline());
    const auto image = draft ? (*draft)->make(jit::NoDeadline()) : std::unexpected(draft.error());
    codes.push_back(image ? std::nullopt : std::optional(image.error().code));
  }
  return codes;
}

TEST(AForger, WhoChangesNothingIsNotNoticed) {
  const ServerProcess server;
  const Forger forger(server, [](Frame &) {});
  for (const auto &code : ask(forger.how(), {1, 2}))
    EXPECT_EQ(code, std::nullopt);
}

TEST(AForger, IsRefusedWhateverHeChanges) {
  const ServerProcess server;
  for (const Kind kind : {Kind::welcome, Kind::module, Kind::done, Kind::drafted})
    for (const double part : {0.0, 0.3, 0.9, 1.0}) {
      const Forger forger(server, [&](Frame &answer) {
        if (answer.kind == kind || (kind == Kind::done && answer.kind == Kind::unknown))
          answer
              .body[static_cast<std::size_t>(part * static_cast<double>(answer.body.size() - 1))] ^=
              1;
      });
      EXPECT_EQ(ask(forger.how(), {1}).front(), ErrorCode::server_refused)
          << static_cast<int>(kind) << " " << part;
    }
}

TEST(AForger, IsRefusedWhoGivesAnAnswerToAnotherQuestion) {
  const ServerProcess server;
  std::optional<Frame> first;
  const Forger forger(server, [&](Frame &answer) {
    if (answer.kind != Kind::drafted)
      return;
    if (first)
      answer = *first;
    first = answer;
  });
  const auto codes = ask(forger.how(), {1, 2});
  ASSERT_EQ(codes.size(), 2U);
  EXPECT_EQ(codes[0], std::nullopt);
  EXPECT_EQ(codes[1], ErrorCode::server_refused);
}

TEST(AForger, IsRefusedWhoCutsAnswersShort) {
  const ServerProcess server;
  for (const std::size_t left : {0U, 1U, 63U, 64U, 100U}) {
    const Forger forger(server, [&](Frame &answer) {
      if (answer.kind == Kind::drafted)
        answer.body.resize(left);
    });
    EXPECT_EQ(ask(forger.how(), {1}).front(), ErrorCode::server_refused) << left;
  }
}

} // namespace
} // namespace sartor::server
