// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <array>
#include <atomic>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "line.h"
#include "paths.h"
#include "server_process.h"

namespace sartor::server {
namespace {

using remote::Kind;
using ::testing::AllOf;
using ::testing::HasSubstr;

class AServer : public ::testing::Test {
protected:
  Line line() { return Line(server.file("socket")); }
  /// Checks that the server answers a well-behaved client.
  void expect_well() {
    Line good = line();
    const auto module = good.open(paths::points());
    const auto answer = good.ask_and_hear(Kind::draft, to_bytes(order_of(module, 1)));
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->kind, Kind::drafted);
  }

  ServerProcess server;
};

TEST_F(AServer, RefusesWhoDoesNotGreet) {
  Line rude = line();
  rude.ask(Kind::draft, "");
  EXPECT_EQ(rude.refusal()->code, ErrorCode::server_refused);
  EXPECT_TRUE(rude.has_ended());
}

TEST_F(AServer, RefusesAnotherProtocol) {
  Line other = line();
  auto hello = good_hello();
  hello.protocol = 77;
  other.ask(Kind::hello, to_bytes(hello));
  EXPECT_THAT(other.refusal()->message, HasSubstr("version 77"));
  EXPECT_TRUE(other.has_ended());
}

TEST_F(AServer, RefusesAnotherBuild) {
  Line other = line();
  auto hello = good_hello();
  hello.build = "another";
  other.ask(Kind::hello, to_bytes(hello));
  EXPECT_THAT(other.refusal()->message, HasSubstr("another build"));
}

TEST_F(AServer, MakesCodeForTheHighestLevelOfAnotherProcessor) {
  Line other = line();
  auto hello = good_hello();
  hello.processor = "x86_64 of somebody else's";
  hello.levels = {"x86-64-v9", "x86-64-v2", "x86-64"};
  auto welcome = other.ask_and_hear(Kind::hello, to_bytes(hello));
  ASSERT_TRUE(welcome && welcome->kind == Kind::welcome);
  welcome->body.resize(welcome->body.size() - sizeof(base::Signature));
  const auto toolchain = remote::from_bytes<core::Toolchain>(welcome->body);
  ASSERT_TRUE(toolchain);
  EXPECT_EQ(toolchain->cpu, "x86-64-v2");
  EXPECT_THAT(toolchain->features, ::testing::Not(HasSubstr("+avx")));
}

TEST_F(AServer, RefusesAProcessorThatItDoesNotKnow) {
  Line other = line();
  auto hello = good_hello();
  hello.processor = "z80";
  hello.levels = {"z80"};
  other.ask(Kind::hello, to_bytes(hello));
  EXPECT_THAT(other.refusal()->message, HasSubstr("no code is made for"));
}

TEST_F(AServer, RefusesARequestOfAGibibyteBeforeItComes) {
  Line large = line();
  large.ask_and_hear(Kind::hello, to_bytes(good_hello()));
  large.say(std::string("\0\0\0\x40", 4));
  EXPECT_THAT(large.refusal()->message, HasSubstr("1073741824 bytes"));
  expect_well();
}

TEST_F(AServer, RefusesWhatIsNoFrame) {
  for (const std::string &bytes : {std::string("\0\0\0\0", 4), std::string("\1\0\0\0\xee", 5)}) {
    Line odd = line();
    odd.ask_and_hear(Kind::hello, to_bytes(good_hello()));
    odd.say(bytes);
    EXPECT_EQ(odd.refusal()->code, ErrorCode::server_refused);
    EXPECT_TRUE(odd.has_ended());
  }
}

TEST_F(AServer, OutlivesClientsThatGoInTheMiddle) {
  for (std::size_t bytes = 1; bytes < 40; ++bytes) {
    const Line gone = line();
    std::string hello = to_bytes(good_hello());
    hello.insert(0, std::string("\xff\0\0\0\0", 5));
    gone.say(std::string_view(hello).substr(0, bytes));
  }
  expect_well();
}

TEST_F(AServer, OutlivesAnything) {
  std::mt19937 random(1); // NOLINT(*-random-generator-seed): can be repeated
  for (int round = 0; round < 300; ++round) {
    Line odd = line();
    odd.ask_and_hear(Kind::hello, to_bytes(good_hello()));
    std::string body(random() % 300, '\0');
    for (char &byte : body)
      byte = static_cast<char>(random());
    odd.ask(static_cast<Kind>(random() % (static_cast<unsigned>(remote::Kind::kLast) + 1)), body);
    (void)odd.hear();
  }
  expect_well();
}

TEST_F(AServer, AsksNoCompilerForDraftsThatAreDamaged) {
  Line good = line();
  const auto module = good.open(paths::points());
  const std::string packed = core::pack_module(module);
  const std::string bytes = to_bytes(order_of(module, 5));
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    Line odd = line();
    odd.ask_and_hear(Kind::hello, to_bytes(good_hello()));
    odd.use(packed);
    std::string other = bytes;
    other[at] = static_cast<char>(other[at] ^ 0x21);
    const auto answer = odd.ask_and_hear(Kind::draft, other);
    ASSERT_TRUE(answer) << at;
    EXPECT_TRUE(answer->kind == Kind::failed || answer->kind == Kind::drafted) << at;
    if (const auto why = remote::from_bytes<Failure>(answer->body);
        why && answer->kind == Kind::failed)
      EXPECT_NE(why->code, ErrorCode::compiler_lost) << at; // the compiler has survived
  }
  expect_well();
}

TEST_F(AServer, RefusesArgumentsThatTheHandlerDoesNotHave) {
  for (const unsigned index : {3U, 1000U, 0xffffffffU}) {
    Line good = line();
    const auto module = good.open(paths::points());
    auto order = order_of(module, 3);
    order.arguments.emplace(index, BoundArgument(1));
    good.ask(Kind::draft, to_bytes(order));
    EXPECT_EQ(good.refusal()->code, ErrorCode::bad_binding) << index;
    good.ask(Kind::entry_function,
             to_bytes(remote::EntryOrder{order.handler, {{index, BoundArgument(1)}}, true}));
    EXPECT_EQ(good.refusal()->code, ErrorCode::bad_binding) << index;
  }
  expect_well();
}

TEST_F(AServer, RefusesModulesThatSayAnotherThingThanTheirBitcode) {
  Line good = line();
  auto module = good.open(paths::points());
  const auto order = order_of(module, 3);
  for (auto &handler : module.handlers)
    if (handler.signature)
      handler.signature->parameters.resize(100, handler.signature->parameters.front());
  good.use(core::pack_module(module));
  good.ask(Kind::draft, to_bytes(order));
  EXPECT_EQ(good.refusal()->code, ErrorCode::bad_bitcode);
}

TEST_F(AServer, LoadsNobodysLibraries) {
  Line good = line();
  auto order = order_of(good.open(paths::points()), 3);
  order.purpose.pipeline.plugins = {"/a/plugin.so"};
  good.ask(Kind::draft, to_bytes(order));
  EXPECT_EQ(good.refusal()->code, ErrorCode::server_refused);
}

TEST_F(AServer, KeepsNoDrafts) {
  Line good = line();
  auto order = order_of(good.open(paths::points()), 3);
  order.at_once = false;
  good.ask(Kind::draft, to_bytes(order));
  EXPECT_EQ(good.refusal()->code, ErrorCode::server_refused);
}

TEST_F(AServer, RefusesAnotherModuleThanWasAnnounced) {
  Line good = line();
  good.ask_and_hear(Kind::hello, to_bytes(good_hello()));
  EXPECT_EQ(good.ask_and_hear(Kind::use_module, std::string(64, '0'))->kind, Kind::unknown);
  good.ask(Kind::give_module, "something");
  EXPECT_EQ(good.refusal()->code, ErrorCode::server_refused);
}

TEST_F(AServer, SaysWhatIsWrongWithAModuleThatIsNone) {
  Line good = line();
  good.ask_and_hear(Kind::hello, to_bytes(good_hello()));
  const std::string bytes = "something";
  good.ask_and_hear(Kind::use_module, base::to_text(base::hash_of({bytes})));
  EXPECT_EQ(good.ask_and_hear(Kind::give_module, bytes)->kind, Kind::done); // not yet examined
  good.ask(Kind::entry_function, to_bytes(remote::EntryOrder{"f", {}, false}));
  EXPECT_TRUE(good.refusal());
  expect_well();
}

TEST_F(AServer, AnswersTenThousandRequestsAtOnce) {
  constexpr int lines = 50;
  constexpr int requests = 200;
  std::string packed;
  core::HandlerModule module;
  {
    Line first = line();
    module = first.open(paths::points());
    packed = core::pack_module(module);
  }
  std::atomic<int> answered = 0;
  std::vector<std::thread> threads;
  for (int i = 0; i < lines; ++i)
    threads.emplace_back([&] {
      // The server closes a connection whose client reads nothing for some seconds, as a busy
      // machine can cause. Requests without an answer are sent again.
      int heard = 0;
      for (int tries = 0; heard < requests && tries < 4; ++tries) {
        Line mine = line();
        if (!mine.ask_and_hear(Kind::hello, to_bytes(good_hello())))
          continue;
        mine.use(packed);
        for (int j = heard; j < requests; ++j)
          mine.ask(Kind::draft, to_bytes(order_of(module, j % 20)));
        while (heard < requests) {
          const auto answer = mine.hear();
          if (!answer)
            break;
          ++heard;
          if (answer->kind == Kind::drafted)
            ++answered;
        }
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(answered, lines * requests);
}

TEST(AServerWithLimits, LetsAClientHaveSoManyConnections) {
  const ServerProcess server({"--connections-of-client", "2"});
  Line one(server.file("socket"));
  Line two(server.file("socket"));
  EXPECT_TRUE(one.ask_and_hear(Kind::hello, to_bytes(good_hello())));
  EXPECT_TRUE(two.ask_and_hear(Kind::hello, to_bytes(good_hello())));
  Line three(server.file("socket"));
  EXPECT_THAT(three.refusal()->message, HasSubstr("too many connections"));
}

TEST(AServerWhoseCompilerLies, DoesNotPassOnItsGreeting) {
  const ServerProcess server({"--workers", "1", "--compiler", paths::liar()});
  for (int i = 0; i < 2; ++i) {
    Line line(server.file("socket"));
    line.ask(Kind::hello, to_bytes(good_hello()));
    const auto refusal = line.refusal();
    ASSERT_TRUE(refusal);
    EXPECT_EQ(refusal->code, ErrorCode::server_refused);
    EXPECT_THAT(refusal->message, HasSubstr("something else"));
  }
}

TEST(AServerWithLimits, ReportsWhoWaitsTooLong) {
  // The only compiler never answers.
  ServerProcess server({"--workers", "1", "--compile-timeout", "1", "--queue-timeout", "2",
                        "--compiler", paths::deaf()});
  std::vector<std::unique_ptr<Line>> lines;
  for (int i = 0; i < 8; ++i) {
    lines.push_back(std::make_unique<Line>(server.file("socket")));
    lines.back()->ask(Kind::hello, to_bytes(good_hello()));
  }
  // The server reads the greetings in any order, so that any of them may wait too long.
  int busy = 0;
  for (const auto &each : lines) {
    const auto refusal = each->refusal();
    busy += refusal && refusal->message.contains("is busy") ? 1 : 0;
  }
  EXPECT_GT(busy, 0);
  server.kill();
}

TEST(AServerThatStarts, SaysWhatIsWrong) {
  const auto why = [](std::vector<std::string> more) -> std::string {
    try {
      const ServerProcess server(std::move(more));
    } catch (const std::exception &error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_THAT(why({"--compiler", "/nowhere"}), HasSubstr("/nowhere"));
  EXPECT_THAT(why({"--listen", "tcp://"}), HasSubstr("has no port"));
  EXPECT_THAT(why({"--workers", "0"}), HasSubstr("workers"));
  EXPECT_THAT(why({"--compile-timeout", "60"}), HasSubstr("--queue-timeout"));
  EXPECT_THAT(why({"--compiler", "/tmp"}), HasSubstr("is no program"));
  for (const auto &[option, value] :
       std::vector<std::pair<std::string, std::string>>{{"--connections", "0"},
                                                        {"--connections-of-client", "0"},
                                                        {"--compile-timeout", "0"},
                                                        {"--compile-timeout", "-1"},
                                                        {"--queue-timeout", "0"},
                                                        {"--slow-compile", "-3"}})
    EXPECT_THAT(why({option, value}), AllOf(HasSubstr(option), HasSubstr("not in range")));
  EXPECT_THAT(why({"--log-format", "xml"}), HasSubstr("--log-format: xml not in {text,json}"));
  EXPECT_THAT(why({"--metrics", "nowhere"}), HasSubstr("sartor-server: "));
}

} // namespace
} // namespace sartor::server
