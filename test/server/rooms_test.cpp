// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The server's rooms, each by itself.
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "keys/keys.h"
#include "remote/server_address.h"
#include "remote/transcript.h"
#include "server/answers.h"
#include "server/modules.h"
#include "server/pool.h"

namespace sartor::server {
namespace {

using namespace std::chrono_literals;
using remote::Kind;

Answers::Key key(std::uint8_t number) {
  Answers::Key made{};
  made[0] = number;
  return made;
}

std::shared_ptr<const Answer> answer(std::size_t bytes) {
  return std::make_shared<const Answer>(
      Answer{{{Kind::call, "order", "result"}}, Kind::drafted, std::string(bytes, 'x')});
}

/// What a coroutine comes to.
template <class T> T result_of(asio::awaitable<T> work) {
  asio::io_context loop;
  std::optional<T> result;
  asio::co_spawn(
      loop, [&]() -> asio::awaitable<void> { result = co_await std::move(work); }, asio::detached);
  loop.run();
  return std::move(*result);
}

TEST(ServerAnswers, TheLeastRecentlyUsedGo) {
  Answers answers(3000, nullptr, nullptr);
  for (std::uint8_t i = 0; i < 2; ++i)
    answers.insert(key(i), answer(1000), {}, true);
  EXPECT_TRUE(result_of(answers.find(key(0))));
  answers.insert(key(2), answer(1000), {}, true);
  EXPECT_TRUE(result_of(answers.find(key(0))));
  EXPECT_FALSE(result_of(answers.find(key(1))));
  EXPECT_TRUE(result_of(answers.find(key(2))));
  EXPECT_LE(answers.bytes(), 3000U);
  answers.insert(key(3), answer(5000), {}, true); // larger than all
  EXPECT_FALSE(result_of(answers.find(key(3))));
  answers.insert(key(2), answer(10), {}, true);
  EXPECT_EQ(result_of(answers.find(key(2)))->answer->body.size(), 10U);
}

TEST(ServerAnswers, AreReadAsTheyWereWrittenAndNothingElse) {
  const std::string bytes = pack(*answer(20));
  const auto read = unpack_answer(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->body, std::string(20, 'x'));
  EXPECT_EQ(read->calls.front().result, "result");
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(unpack_answer(std::string_view(bytes).substr(0, size)));
}

TEST(ServerModules, AreKnownByTheirHash) {
  Modules modules(100);
  const auto hash_of = [](const std::string &bytes) {
    return store::to_text(store::hash_of({bytes}));
  };
  EXPECT_FALSE(modules.insert(hash_of("one"), "other"));
  EXPECT_FALSE(modules.find(hash_of("one")));
  ASSERT_TRUE(modules.insert(hash_of("one"), "one"));
  EXPECT_EQ(*modules.find(hash_of("one")), "one");
  const std::string large(99, 'l');
  EXPECT_TRUE(modules.insert(hash_of(large), large));
  EXPECT_FALSE(modules.find(hash_of("one")));
  EXPECT_TRUE(modules.find(hash_of(large)));
}

TEST(ServerPool, ClientsComeInTurn) {
  asio::io_context loop;
  Pool pool(1, "/nowhere", 1s);
  std::vector<std::string> order;
  const auto client = [&](std::string name) -> asio::awaitable<void> {
    const auto turn = co_await pool.take(name, {}, 10s);
    EXPECT_TRUE(turn);
    order.push_back(name);
    asio::steady_timer pause(loop, 1ms);
    co_await pause.async_wait(asio::use_awaitable);
  };
  for (const char *name : {"a", "a", "a", "a", "b", "c", "b"})
    asio::co_spawn(loop, client(name), asio::detached);
  loop.run();
  EXPECT_EQ(order, (std::vector<std::string>{"a", "a", "b", "c", "a", "b", "a"}));
  EXPECT_EQ(pool.working(), 0U);
  EXPECT_EQ(pool.waiting(), 0U);
}

TEST(ServerPool, WhoWaitsTooLongIsToldAndForgotten) {
  asio::io_context loop;
  Pool pool(1, "/nowhere", 1s);
  bool was_told = false;
  asio::co_spawn(
      loop,
      [&]() -> asio::awaitable<void> {
        const auto turn = co_await pool.take("a", {}, 10s);
        asio::steady_timer pause(loop, 50ms);
        co_await pause.async_wait(asio::use_awaitable);
      },
      asio::detached);
  asio::co_spawn(
      loop,
      [&]() -> asio::awaitable<void> {
        const auto turn = co_await pool.take("b", {}, 5ms);
        was_told = !turn && turn.error().code == ErrorCode::server_refused;
      },
      asio::detached);
  loop.run();
  EXPECT_TRUE(was_told);
  EXPECT_EQ(pool.waiting(), 0U);
  EXPECT_EQ(pool.working(), 0U);
}

TEST(Transcript, AnAnswerIsNoneToAnythingElse) {
  keys::PublicKey known;
  const auto directory = std::filesystem::temp_directory_path() / "sartor_transcript_test";
  std::filesystem::remove_all(directory);
  std::filesystem::create_directory(directory);
  ASSERT_TRUE(keys::make_keys(directory / "k"));
  const auto secret = keys::SecretKey::read(directory / "k.key");
  ASSERT_TRUE(secret);
  known = secret->public_key();
  remote::Transcript said;
  said.add(Kind::hello, "hello");
  const std::string good = said.sign(Kind::image, "an image", *secret);
  std::string body = good;
  EXPECT_TRUE(said.open(Kind::image, body, known));
  EXPECT_EQ(body, "an image");
  for (std::size_t at = 0; at < good.size(); ++at) {
    body = good;
    body[at] = static_cast<char>(body[at] ^ 4);
    EXPECT_FALSE(said.open(Kind::image, body, known)) << at;
  }
  body = good;
  EXPECT_FALSE(said.open(Kind::module, body, known));
  remote::Transcript other;
  other.add(Kind::hello, "hallo");
  body = good;
  EXPECT_FALSE(other.open(Kind::image, body, known));
  std::filesystem::remove_all(directory);
}

TEST(ServerAddress, IsOneOfTwoKinds) {
  const auto tcp = remote::ServerAddress::parse("tcp://example.org:7433");
  ASSERT_TRUE(tcp);
  EXPECT_EQ(tcp->host + "|" + tcp->port, "example.org|7433");
  EXPECT_EQ(remote::ServerAddress::parse("tcp://[::1]:1")->host, "::1");
  EXPECT_EQ(remote::ServerAddress::parse("unix:/a/b")->path, "/a/b");
  for (const char *bad :
       {"", "tcp://", "tcp://a", "tcp://a:", "tcp://a:b", "tcp://a:65536", "tcp://:1", "tcp://[]:1",
        "tcp://1::2:3", "unix:", "unix:a", "http://a:1"})
    EXPECT_EQ(remote::ServerAddress::parse(bad).error().code, ErrorCode::no_compiler) << bad;
}

} // namespace
} // namespace sartor::server
