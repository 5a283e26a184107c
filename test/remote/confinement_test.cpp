// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Attempts of a client's code to misuse a server's compilers.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../server/line.h"
#include "../server/server_process.h"
#include "paths.h"

namespace sartor::server {
namespace {

using remote::Kind;
using ::testing::HasSubstr;

/// A client with the handlers of hostile_handlers.cpp.
class Attacker {
public:
  explicit Attacker(const ServerProcess &server) : line_(server.file("socket")) {
    std::ifstream input(paths::hostile(), std::ios::binary);
    std::string text(std::istreambuf_iterator<char>(input), {});
    const std::string place = "/THE/FILE";
    text.replace(text.find(place), place.size(), server.file("server.key").string());
    const auto changed = server.file("hostile.ll");
    std::ofstream(changed) << text;
    module_ = line_.open(changed.c_str());
  }

  std::optional<remote::Frame> ask_for(const std::string &handler) {
    remote::DraftOrder order;
    for (const auto &each : module_.handlers)
      if (each.readable_name() == handler)
        order.handler = each.name;
    order.symbol = handler;
    order.configuration = {{handler, 1}};
    order.at_once = true;
    return line_.ask_and_hear(Kind::draft, remote::to_bytes(order));
  }
  Failure failure_for(const std::string &handler) {
    const auto answer = ask_for(handler);
    if (!answer || answer->kind != Kind::failed)
      return {ErrorCode::unknown_handler, handler, "was answered", ""};
    return *remote::from_bytes<Failure>(answer->body);
  }

private:
  Line line_;
  core::HandlerModule module_;
};

TEST(Assembly, OfAClientIncludesNoFiles) {
  const ServerProcess server;
  Attacker attacker(server);
  const Failure why = attacker.failure_for("includes");
  EXPECT_EQ(why.code, ErrorCode::compile_failed);
  EXPECT_THAT(why.subject, HasSubstr("includes"));
  EXPECT_THAT(why.message, HasSubstr("the directive .incbin"));
}

TEST(Assembly, OfAClientFillsNoMemory) {
  const ServerProcess server;
  Attacker attacker(server);
  EXPECT_THAT(attacker.failure_for("fills").message, HasSubstr("the directive .fill"));
}

TEST(Assembly, OfAClientIsCompiled) {
  const ServerProcess server;
  Attacker attacker(server);
  EXPECT_EQ(attacker.ask_for("counts")->kind, Kind::drafted);
}

#ifndef SARTOR_SANITIZED // compilers are not confined under sanitizers
TEST(WithoutLandlock, NothingIsCompiled) {
  const ServerProcess server({"--compiler", paths::without_landlock()});
  // The server learns why a compiler has ended from another process, for which it waits for a short
  // time only.
  std::optional<Failure> why;
  for (int i = 0; i < 10 && !(why && why->message.contains("cannot be confined")); ++i) {
    Line line(server.file("socket"));
    line.ask(Kind::hello, to_bytes(good_hello()));
    why = line.refusal();
  }
  ASSERT_TRUE(why);
  EXPECT_EQ(why->code, ErrorCode::compiler_lost);
  EXPECT_THAT(why->message, HasSubstr("cannot be confined"));
  EXPECT_THAT(server.log(), HasSubstr("no Landlock"));
}

TEST(WithoutLandlock, TheOperatorMayAllowSeccompAlone) {
  const ServerProcess server({"--compiler", paths::without_landlock(), "--allow-weak-confinement"});
  Attacker attacker(server);
  EXPECT_EQ(attacker.ask_for("counts")->kind, Kind::drafted);
  EXPECT_THAT(attacker.failure_for("includes").message, HasSubstr("the directive .incbin"));
  EXPECT_THAT(server.log(), HasSubstr("where the kernel has no Landlock"));
  EXPECT_THAT(server.log(), HasSubstr("sartor-compiler: the kernel has no Landlock"));
}
#endif

} // namespace
} // namespace sartor::server
