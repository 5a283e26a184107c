// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unit tests of the server's components.
#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "base/keys.h"
#include "directory.h"
#include "remote/http/http.h"
#include "remote/protocol/server_address.h"
#include "remote/protocol/transcript.h"
#include "remote/server/answers.h"
#include "remote/server/clients/account.h"
#include "remote/server/clients/fair_lru.h"
#include "remote/server/clients/newcomers.h"
#include "remote/server/compilers/pool.h"
#include "remote/server/metrics.h"
#include "remote/server/modules.h"

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

/// A ledger whose limits exceed the memory that any test here uses.
class ServerAnswers : public ::testing::Test {
protected:
  Ledger ledger{{1U << 30, 1U << 30, 1U << 20}, {}};
  Account &one = ledger.of("one");
  Account &two = ledger.of("two");
};
using ServerModules = ServerAnswers;

/// The result of a coroutine.
template <class T> T result_of(asio::awaitable<T> work) {
  asio::io_context loop;
  std::optional<T> result;
  asio::co_spawn(
      loop, [&]() -> asio::awaitable<void> { result = co_await std::move(work); }, asio::detached);
  loop.run();
  return std::move(*result);
}

TEST_F(ServerAnswers, TheLeastRecentlyUsedGo) {
  Answers answers({4000, 4000}, nullptr, nullptr);
  for (std::uint8_t i = 0; i < 2; ++i)
    answers.insert(key(i), one, answer(1000), {}, true);
  EXPECT_TRUE(result_of(answers.find(key(0), one)));
  answers.insert(key(2), one, answer(1000), {}, true);
  EXPECT_TRUE(result_of(answers.find(key(0), one)));
  EXPECT_FALSE(result_of(answers.find(key(1), one)));
  EXPECT_TRUE(result_of(answers.find(key(2), one)));
  EXPECT_LE(answers.bytes(), 4000U);
  answers.insert(key(3), one, answer(5000), {}, true); // larger than the cache
  EXPECT_FALSE(result_of(answers.find(key(3), one)));
  answers.insert(key(2), one, answer(10), {}, true);
  EXPECT_EQ(result_of(answers.find(key(2), one))->answer->body.size(), 10U);
}

TEST_F(ServerAnswers, OfAClientAreNotDisplacedByThoseOfAnother) {
  Answers answers({10'000, 10'000}, nullptr, nullptr);
  answers.insert(key(0), one, answer(1000), {}, true);
  for (std::uint8_t i = 1; i < 200; ++i)
    answers.insert(key(i), two, answer(1000), {}, true);
  EXPECT_TRUE(result_of(answers.find(key(0), one)));
  EXPECT_FALSE(result_of(answers.find(key(1), two)));
  EXPECT_LE(answers.bytes(), 10'000U);
}

TEST_F(ServerAnswers, AreReadAsTheyWereWrittenAndNothingElse) {
  const std::string bytes = pack(*answer(20));
  const auto read = unpack_answer(bytes);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->body, std::string(20, 'x'));
  EXPECT_EQ(read->calls.front().result, "result");
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(unpack_answer(std::string_view(bytes).substr(0, size)));
}

// A large answer is still being stored when the purge has removed the others.
TEST_F(ServerAnswers, ThatArePurgedAreNotStored) {
  const Directory directory;
  for (std::uint8_t i = 0; i < 10; ++i) {
    auto opened = core::DiskCache::open(directory.path(), 1U << 30, {});
    ASSERT_TRUE(opened);
    core::DiskCache &disk = *opened;
    Answers answers({1U << 30, 1U << 30}, std::move(opened), nullptr);
    answers.insert(key(i), one, answer(8U << 20), {}, true);
    result_of(answers.purge({}));
    EXPECT_EQ(answers.bytes(), 0U);
    answers.insert(key(100), one, answer(10), {}, true);
    answers.join();
    EXPECT_FALSE(disk.find(key(i)));
    EXPECT_TRUE(disk.find(key(100)));
  }
}

// A large answer is still being read when the purge has removed it.
TEST_F(ServerAnswers, ThatArePurgedAreNotKeptInMemory) {
  const Directory directory;
  auto opened = core::DiskCache::open(directory.path(), 1U << 30, {});
  ASSERT_TRUE(opened);
  core::DiskCache &disk = *opened;
  Answers answers({1U << 30, 1U << 30}, std::move(opened), nullptr);
  for (std::uint8_t i = 0; i < 10; ++i) {
    answers.insert(key(i), one, answer(8U << 20), {}, true);
    while (!disk.find(key(i)))
      std::this_thread::sleep_for(1ms);
    while (answers.drop_one(nullptr)) // so that it is read from the disk
      ;
    asio::io_context loop;
    asio::co_spawn(
        loop, [&]() -> asio::awaitable<void> { (void)co_await answers.find(key(i), two); },
        asio::detached);
    asio::co_spawn(
        loop, [&]() -> asio::awaitable<void> { (void)co_await answers.purge({}); }, asio::detached);
    loop.run();
    EXPECT_EQ(answers.bytes(), 0U) << int{i};
  }
  answers.join();
}

TEST_F(ServerModules, AreFoundByTheTenantThatGaveThem) {
  Modules modules;
  const std::string hash = base::to_text(base::hash_of({"a module"}));
  EXPECT_FALSE(modules.find(one, hash));
  ASSERT_TRUE(modules.insert(one, hash, "a module", {}));
  EXPECT_EQ(*modules.find(one, hash), "a module");
  EXPECT_FALSE(modules.find(two, hash));
}

TEST(ServerGroups, AreTenants) {
  const auto groups = Groups::parse({"team=a,b", "other=c"});
  ASSERT_TRUE(groups);
  EXPECT_EQ(groups->tenant_of("a"), groups->tenant_of("b"));
  EXPECT_NE(groups->tenant_of("a"), groups->tenant_of("c"));
  EXPECT_NE(groups->tenant_of("team"), groups->tenant_of("a"));
  EXPECT_NE(groups->tenant_of("x"), groups->tenant_of("y"));
  for (const char *bad : {"", "=", "team", "team=", "=a", "team=a,,b"})
    EXPECT_FALSE(Groups::parse({bad})) << bad;
  EXPECT_FALSE(Groups::parse({"one=a", "two=a"}));
}

constexpr Ledger::Limits kLimits{1'000'000, 400'000, 10'000};

TEST(ServerLedger, ChargesUntilTheLastUseEnds) {
  Ledger ledger(kLimits, {});
  Account &one = ledger.of("one");
  Charge charge;
  ASSERT_TRUE(charge.add(one, 100'000));
  auto held = charged(std::move(charge), std::string("a value"));
  auto also = held;
  held.reset();
  EXPECT_EQ(one.bytes(), 100'000U);
  EXPECT_EQ(ledger.bytes(), 100'000U);
  also.reset();
  EXPECT_EQ(one.bytes(), 0U);
  EXPECT_EQ(ledger.bytes(), 0U);
}

TEST(ServerLedger, NamesTheLimitThatIsReached) {
  Ledger ledger(kLimits, {});
  Account &one = ledger.of("one");
  Charge charge;
  ASSERT_TRUE(charge.add(one, 400'000));
  const auto more = charge.add(one, 1);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().code, ErrorCode::server_refused);
  EXPECT_EQ(more.error().subject, "one");
  EXPECT_NE(more.error().remedy.find("--memory-of-client"), std::string::npos);
  EXPECT_EQ(one.refused(), 1U);
  EXPECT_EQ(one.bytes(), 400'000U);
}

TEST(ServerLedger, KeepsAReserveForClientsThatHoldLittle) {
  Ledger ledger(kLimits, {});
  std::vector<Charge> greedy(3);
  for (std::size_t i = 0; i < greedy.size(); ++i)
    while (greedy[i].add(ledger.of(std::to_string(i)), 50'000))
      ;
  Charge modest;
  EXPECT_TRUE(modest.add(ledger.of("modest"), 5000));
  EXPECT_FALSE(modest.add(ledger.of("modest"), 100'000));
}

TEST(ServerLedger, LetsUnknownPeersUseLittle) {
  Ledger ledger(kLimits, {});
  Charge charge;
  EXPECT_TRUE(charge.add(ledger.unknown(), 10'000));
  EXPECT_FALSE(charge.add(ledger.unknown(), 1));
}

TEST(ServerMetrics, AddWhatUsersWithoutALabelHold) {
  Ledger ledger(kLimits, {});
  std::vector<Charge> charges(67);
  std::vector<std::unique_ptr<Connected>> connections;
  for (std::size_t i = 0; i < charges.size(); ++i) {
    Account &user = ledger.of("uid " + std::to_string(i));
    ASSERT_TRUE(charges[i].add(user, 1000));
    connections.push_back(std::make_unique<Connected>(user));
  }
  Metrics metrics;
  metrics.held(ledger);
  const std::string text = metrics.text();
  EXPECT_TRUE(text.contains(R"(sartor_server_client_bytes{client="uid 0"} 1000)")) << text;
  EXPECT_TRUE(text.contains(R"(sartor_server_client_bytes{client="uid of others"} 3000)")) << text;
  EXPECT_TRUE(text.contains(R"(sartor_server_client_connections{client="uid of others"} 3)"))
      << text;
}

TEST(ServerLedger, ReclaimsWhatIsOnlyCached) {
  Ledger ledger(kLimits, {});
  FairLru<std::string> cached;
  ledger.reclaim_by([&](const Account *account) { return cached.drop_one(account); });
  Account &one = ledger.of("one");
  const auto insert = [&](std::uint8_t number) {
    Charge charge;
    EXPECT_TRUE(charge.add(one, 100'000)) << int{number};
    auto value = charged(std::move(charge), std::string("a value"));
    cached.insert(key(number), one, value, 100'000);
    return value;
  };
  const auto used = insert(0);
  for (std::uint8_t i = 1; i < 9; ++i)
    insert(i);
  EXPECT_TRUE(cached.find(key(0)));
  EXPECT_FALSE(cached.find(key(1)));
  EXPECT_TRUE(cached.find(key(8)));
  EXPECT_LE(one.bytes(), kLimits.of_client);
}

class SilentWire final : public Wire {
public:
  asio::awaitable<std::error_code> read(asio::mutable_buffer) override { co_return closed(); }
  asio::awaitable<std::error_code> write(asio::const_buffer) override { co_return closed(); }
  asio::awaitable<void> finish() override { co_return; }
  void close() override { is_open = false; }

  bool is_open = true;

private:
  static std::error_code closed() { return std::make_error_code(std::errc::not_connected); }
};

TEST(ServerNewcomers, CloseTheOldestThatAreSilentUntilTheyAreFew) {
  Ledger ledger({1'000'000'000, 1'000'000'000, 1'000'000'000}, {});
  Newcomers newcomers(ledger.unknown(), 4);
  std::array<SilentWire, 12> wires;
  std::vector<std::unique_ptr<Newcomers::Place>> places;
  const auto open = [&](bool has_begun) {
    places.push_back(std::make_unique<Newcomers::Place>(newcomers, wires.at(places.size()),
                                                        [=] { return has_begun; }));
  };
  open(true);
  for (int i = 0; i < 6; ++i)
    open(false);
  EXPECT_EQ(newcomers.size(), 4U);
  EXPECT_TRUE(wires[0].is_open);
  EXPECT_FALSE(wires[1].is_open);
  EXPECT_TRUE(places[1]->is_lost());
  EXPECT_TRUE(wires[6].is_open);
  for (int i = 0; i < 4; ++i)
    open(true);
  EXPECT_FALSE(wires[0].is_open); // connections that have begun do not fill all positions either
  EXPECT_EQ(newcomers.size(), 4U);
  places.clear();
  EXPECT_EQ(ledger.unknown().bytes(), 0U);
}

TEST(ServerNewcomers, CloseAConnectionWhoseMemoryCannotBeCharged) {
  Ledger ledger({kConnectionBytes, kConnectionBytes, kConnectionBytes}, {});
  Newcomers newcomers(ledger.unknown(), 4);
  Charge of_client;
  ASSERT_TRUE(of_client.add(ledger.of("one"), 1000));
  SilentWire refused;
  {
    const Newcomers::Place place(newcomers, refused, [] { return false; });
    EXPECT_TRUE(place.is_lost());
    EXPECT_FALSE(refused.is_open);
    EXPECT_EQ(newcomers.size(), 0U);
  }
  EXPECT_EQ(ledger.unknown().bytes(), 0U);
}

PoolOptions options(unsigned workers, std::chrono::milliseconds share = 10s) {
  PoolOptions made;
  made.workers = workers;
  made.program = "/nowhere";
  made.share = share;
  made.idle = 500ms;
  return made;
}

/// A pool, and clients whose requests occupy a worker for a time.
class ServerPool : public ::testing::Test {
protected:
  /// A client that requests a worker `after` the start, and occupies it for the time `has`.
  void client(Pool &pool, std::string name, std::chrono::milliseconds has,
              std::chrono::milliseconds after = 0ms, std::chrono::milliseconds patience = 60s) {
    spawn(pool, std::move(name), has, after, patience, [] { return true; });
  }
  /// A client that occupies its worker until `is_over`, at most for some minutes.
  void client_until(Pool &pool, std::string name, std::function<bool()> is_over,
                    std::chrono::milliseconds after = 0ms) {
    spawn(pool, std::move(name), 1ms, after, 60s, std::move(is_over));
  }
  /// Runs the loop until so many clients wait.
  void run_until_waiting(const Pool &pool, std::size_t clients) {
    while (pool.waiting() != clients && loop_.run_one() > 0)
      ;
    EXPECT_EQ(pool.waiting(), clients);
  }
  [[nodiscard]] bool is_done(const std::string &name) const {
    return std::ranges::find(done_, name) != done_.end();
  }
  static std::size_t place_of(const std::string &name, const std::vector<std::string> &order) {
    return static_cast<std::size_t>(std::ranges::find(order, name) - order.begin());
  }

  asio::io_context loop_;
  std::vector<std::string> order_; ///< In the order in which workers were assigned.
  std::vector<std::string> done_;  ///< In the order in which workers were released.
  std::vector<std::string> refused_;

private:
  void spawn(Pool &pool, std::string name, std::chrono::milliseconds has,
             std::chrono::milliseconds after, std::chrono::milliseconds patience,
             std::function<bool()> is_over) {
    asio::co_spawn(
        loop_,
        [this, &pool, name, has, after, patience, is_over]() -> asio::awaitable<void> {
          asio::steady_timer pause(loop_, after);
          co_await pause.async_wait(asio::use_awaitable);
          const Question question;
          auto turn = co_await pool.take(name, question, patience);
          if (!turn) {
            refused_.push_back(name);
            co_return;
          }
          order_.push_back(name);
          EXPECT_EQ((*turn)->client(), name);
          pause.expires_after(has);
          co_await pause.async_wait(asio::use_awaitable);
          for (int i = 0; i < 20'000 && !is_over(); ++i) {
            pause.expires_after(10ms);
            co_await pause.async_wait(asio::use_awaitable);
          }
          done_.push_back(name);
        },
        asio::detached);
  }
};

TEST_F(ServerPool, ClientsThatHadLessComeFirst) {
  Pool pool(options(1));
  for (int i = 0; i < 4; ++i)
    client(pool, "hog", 100ms);
  client(pool, "b", 1ms, 20ms);
  client(pool, "c", 1ms, 20ms);
  loop_.run();
  EXPECT_LT(place_of("b", order_), 3U);
  EXPECT_LT(place_of("c", order_), 3U);
  EXPECT_EQ(done_.back(), "hog");
  EXPECT_EQ(order_.size(), 6U);
  EXPECT_EQ(pool.working(), 0U);
  EXPECT_EQ(pool.waiting(), 0U);
  EXPECT_GE(pool.accounts().at("hog").seconds, 0.4);
  EXPECT_EQ(pool.accounts().at("hog").questions, 4U);
}

// However many requests one client has, and however long they take.
TEST_F(ServerPool, TheReservedWorkerIsForClientsThatHaveNone) {
  for (const unsigned workers : {1U, 2U}) {
    Pool pool(options(workers));
    order_.clear();
    done_.clear();
    for (unsigned i = 0; i < workers + 1; ++i)
      client_until(pool, "hog", [this] { return is_done("b") && is_done("c"); });
    client(pool, "b", 1ms, 50ms);
    client(pool, "c", 1ms, 50ms);
    loop_.run();
    loop_.restart();
    EXPECT_EQ(place_of("hog", done_), 2U) << workers;
    EXPECT_EQ(done_.size(), workers + 3) << workers;
  }
}

TEST_F(ServerPool, AQuestionHasTheReservedWorkerForItsShareWhileOthersWait) {
  Pool pool(options(1, 100ms));
  std::vector<std::string> ended;
  pool.on_event([&](const CompilerEvent &event) {
    EXPECT_EQ(event.kind, CompilerEvent::Kind::over_share);
    ended.push_back(event.client);
  });
  const auto has_ended = [&] { return !ended.empty(); };
  client_until(pool, "hog", has_ended);
  // The pool would end the compiler of "another", but this test has none.
  client_until(pool, "another", has_ended, 20ms);
  while (order_.size() < 2 && loop_.run_one() > 0)
    ;
  loop_.run_for(400ms);
  EXPECT_TRUE(ended.empty()); // while no client waits
  client(pool, "b", 1ms);
  while (ended.empty() && loop_.run_one() > 0)
    ;
  EXPECT_EQ(ended, std::vector<std::string>{"another"});
  loop_.run();
  EXPECT_EQ(done_.size(), 3U);
}

TEST_F(ServerPool, WhatWasLostIsAskedAgainUnlessOthersHadLess) {
  Pool pool(options(1));
  bool is_over = false;
  const auto has_ended = [&] { return is_over; };
  client_until(pool, "hog", has_ended);
  client(pool, "hog", 1ms);
  run_until_waiting(pool, 1);
  EXPECT_TRUE(pool.has_share("hog"));
  client_until(pool, "b", has_ended);
  client(pool, "c", 1ms); // waits: b has the reserved worker
  run_until_waiting(pool, 2);
  EXPECT_FALSE(pool.has_share("hog"));
  EXPECT_TRUE(pool.has_share("c"));
  is_over = true;
  loop_.run();
}

TEST_F(ServerPool, WorkersBelongToOneClientAndFewAreKept) {
  Pool pool(options(2));
  for (int i = 0; i < 20; ++i)
    client(pool, "client " + std::to_string(i), 1ms);
  while (done_.size() < 20)
    loop_.run_one();
  EXPECT_LE(pool.idle(), 4U);
  loop_.run(); // until nothing is left to end
  EXPECT_EQ(pool.idle(), 0U);
}

TEST_F(ServerPool, WhoWaitsTooLongIsNotifiedAndForgotten) {
  Pool pool(options(1));
  client_until(pool, "a", [this] { return !refused_.empty(); });
  client(pool, "a", 1ms, 0ms, 5ms);
  loop_.run();
  EXPECT_EQ(refused_, std::vector<std::string>{"a"});
  EXPECT_EQ(pool.waiting(), 0U);
  EXPECT_EQ(pool.working(), 0U);
}

TEST(Transcript, AnAnswerIsNoneToAnythingElse) {
  base::PublicKey known;
  const Directory directory;
  ASSERT_TRUE(base::make_keys(directory / "k"));
  const auto secret = base::SecretKey::read(directory / "k.key");
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

TEST(HttpTest, AnswersARequestWhoseHandlerThrows) {
  asio::io_context loop;
  remote::Http http(loop, [](const remote::HttpRequest &) -> remote::HttpAnswer {
    throw std::runtime_error("on purpose");
  });
  const auto listening = http.listen("0");
  ASSERT_TRUE(listening);
  std::string answer;
  std::thread browser([&] {
    asio::io_context own;
    asio::ip::tcp::socket socket(own);
    std::error_code error;
    (void)socket.connect(*listening, error);
    (void)asio::write(socket, asio::buffer(std::string("GET / HTTP/1.1\r\n\r\n")), error);
    (void)asio::read(socket, asio::dynamic_buffer(answer), error); // until the connection ends
    loop.stop();
  });
  loop.run();
  browser.join();
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 500 ")) << answer;
  EXPECT_TRUE(answer.contains("on purpose")) << answer;
}

} // namespace
} // namespace sartor::server
