// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A server that has the right key but requests calls that it should not: the program checks each
// call against tables that were made when it was built.
#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "core/compiler/no_deadline.h"
#include "forward.h"
#include "listener.h"
#include "paths.h"
#include "remote/protocol/remote_compiler.h"
#include "remote/protocol/to_server.h"
#include "server_process.h"

namespace sartor::server {
namespace {

using remote::CallOrder;
using remote::Kind;
using Type = core::NativeCall::Type;

/// Forwards the answers of another server, signs with that server's key, and requests calls before
/// it answers a draft.
class BadServer {
public:
  BadServer(const ServerProcess &server, std::vector<CallOrder> calls)
      : path_(server.file("bad")), server_(server), calls_(std::move(calls)),
        listener_(path_, [this](int client) {
          forward(client, server_, std::bind_front(&BadServer::ask_before, this));
        }) {}

  [[nodiscard]] CompilerServer how() const {
    return {"unix:" + path_, server_.file("server.pub"), {}};
  }
  /// The program's answers to the calls.
  [[nodiscard]] const std::vector<std::optional<std::uint64_t>> &results() const {
    return results_;
  }

private:
  bool ask_before(remote::Channel &program, const remote::Frame &question,
                  remote::Transcript &transcript) {
    if (question.kind == Kind::draft)
      for (const CallOrder &call : calls_) {
        const auto result = ask(program, {Kind::call, to_bytes(call)}, transcript);
        if (!result || result->kind != Kind::called)
          return false;
        results_.push_back(
            remote::from_bytes<std::optional<std::uint64_t>>(result->body).value_or(std::nullopt));
      }
    return true;
  }

  std::string path_;
  const ServerProcess &server_;
  std::vector<CallOrder> calls_;
  std::vector<std::optional<std::uint64_t>> results_;
  Listener listener_; ///< Ends first.
};

struct Objects {
  std::array<std::uint64_t, 4> one{1, 2, 3, 4};
  std::array<std::uint64_t, 2> other{5, 6}; ///< Another object, right behind the first.
  const std::uint64_t *inner = &one[2];     ///< A pointer into the object, which the program has.
};

/// Invariant memory that counts the calls of each function.
class Memory final : public core::InvariantMemory {
public:
  explicit Memory(const Objects &objects) {
    auto &reached = reached_.emplace();
    const auto add = [&](const auto &object) {
      const auto address = reinterpret_cast<std::uintptr_t>(&object);
      reached.regions.push_back({7, address,
                                 std::make_shared<const std::string>(
                                     reinterpret_cast<const char *>(&object), sizeof object),
                                 0});
      reached.objects.push_back({address, address + sizeof object});
    };
    add(objects.one);
    add(objects.other);
    add(objects.inner);
  }
  [[nodiscard]] std::uint64_t number() const override { return 0; }
  const Result<core::Reached> &read() override { return reached_; }
  [[nodiscard]] bool is_read() const override { return true; }
  [[nodiscard]] const std::string &name() const override { return name_; }
  std::optional<std::uint64_t> call(std::span<const std::uint64_t> invariants,
                                    const core::NativeCall &) override {
    EXPECT_EQ(std::vector(invariants.begin(), invariants.end()), std::vector<std::uint64_t>{7});
    ++called;
    return 4711;
  }

  unsigned called = 0;

private:
  Result<core::Reached> reached_;
  std::string name_;
};

// Only the addresses of these functions matter.
void whole(const std::uint64_t *) {}
void counted(const std::uint64_t *, std::uint64_t) {}
void followed(const std::uint64_t *) {}
void unbounded(const std::uint64_t *, std::uint64_t) {}
void never_offered(const std::uint64_t *) {}

std::uint64_t address_of(auto *object) { return reinterpret_cast<std::uintptr_t>(object); }

class ABadServer : public ::testing::Test {
protected:
  using Case = std::pair<const char *, core::NativeCall>;

  std::vector<sartor_foldable> foldables() const {
    const auto function = [](auto *code) { return reinterpret_cast<void *>(code); };
    return {{"whole", function(&whole), one_.data(), 1, sixteen_.data()},
            {"counted", function(&counted), two_.data(), 2, eight_each_.data()},
            {"followed", function(&followed), one_.data(), 1, offered_.data()},
            {"unbounded", function(&unbounded), two_.data(), 2, nullptr},
            {"missing", nullptr, one_.data(), 1, sixteen_.data()}};
  }

  /// For each of its calls, whether the server gets a result.
  std::vector<bool> results_of(const BadServer &bad) {
    remote::ToServer way(bad.how());
    remote::RemoteCompiler compiler(way);
    std::ifstream input(paths::points(), std::ios::binary);
    auto module =
        compiler.load_file(paths::points(), std::string(std::istreambuf_iterator<char>(input), {}));
    if (!module) {
      ADD_FAILURE() << module.error().text();
      return {};
    }
    module->foldables = foldables();
    const auto memory = std::make_shared<Memory>(objects_);
    core::Context context;
    context.handler = kinds_in(*module);
    context.memory = memory;
    const auto maker =
        compiler.make_maker(std::make_shared<const core::HandlerModule>(std::move(*module)));
    const auto draft = maker->draft(context, "kinds", {}, core::NoDeadline());
    EXPECT_TRUE(draft) << draft.error().text();
    std::vector<bool> got;
    for (const auto &result : bad.results())
      got.push_back(result.has_value());
    EXPECT_EQ(memory->called, std::ranges::count(got, true));
    if (draft)
      remarks_ = (*draft)->remarks;
    return got;
  }
  void expect_all(bool made, const std::vector<Case> &cases) {
    std::vector<CallOrder> calls;
    for (const Case &each : cases)
      calls.push_back({{0}, each.second});
    const BadServer bad(server_, std::move(calls));
    const auto got = results_of(bad);
    ASSERT_EQ(got.size(), cases.size());
    EXPECT_EQ(remarks_.empty(), made) << "a refusal is reported";
    for (std::size_t i = 0; i < got.size(); ++i)
      EXPECT_EQ(got[i], made) << cases[i].first;
  }

  ServerProcess server_;
  Objects objects_;
  std::vector<Remark> remarks_;

private:
  static constexpr unsigned char kPointer = SARTOR_SCALAR_POINTER;
  static constexpr unsigned char kWord = SARTOR_SCALAR_U64;
  const std::array<unsigned char, 2> one_{kWord, kPointer};
  const std::array<unsigned char, 3> two_{kWord, kPointer, kWord};
  const std::array<sartor_extent, 1> sixteen_{{{16, SARTOR_ONCE}}};
  const std::array<sartor_extent, 2> eight_each_{{{8, 1}, {0, SARTOR_ONCE}}};
  const std::array<sartor_extent, 1> offered_{{{8, SARTOR_OFFERED}}};
};

TEST_F(ABadServer, GetsTheCallsThatTheProgramOffers) {
  const auto *one = objects_.one.data();
  expect_all(true,
             {{"whole", {address_of(&whole), Type::u64, {Type::pointer}, {address_of(one)}}},
              {"the last 16 bytes",
               {address_of(&whole), Type::u64, {Type::pointer}, {address_of(one + 2)}}},
              {"four times 8 bytes",
               {address_of(&counted), Type::u64, {Type::pointer, Type::u64}, {address_of(one), 4}}},
              {"the beginning of an object",
               {address_of(&followed), Type::u64, {Type::pointer}, {address_of(one)}}},
              {"a pointer in invariant memory",
               {address_of(&followed), Type::u64, {Type::pointer}, {address_of(one + 2)}}}});
}

TEST_F(ABadServer, GetsNoOtherFunctionCalled) {
  const std::uint64_t one = address_of(objects_.one.data());
  expect_all(false,
             {{"another function", {address_of(&never_offered), Type::u64, {Type::pointer}, {one}}},
              {"the middle of one", {address_of(&whole) + 1, Type::u64, {Type::pointer}, {one}}},
              {"null", {0, Type::u64, {Type::pointer}, {one}}},
              {"data", {one, Type::u64, {Type::pointer}, {one}}},
              {"one that cannot be bounded",
               {address_of(&unbounded), Type::u64, {Type::pointer, Type::u64}, {one, 1}}}});
}

TEST_F(ABadServer, GetsNoCallOfOtherTypes) {
  const std::uint64_t one = address_of(objects_.one.data());
  const std::uint64_t whole_at = address_of(&whole);
  expect_all(false,
             {{"an address as a number", {whole_at, Type::u64, {Type::u64}, {one}}},
              {"any address as a number", {whole_at, Type::u64, {Type::u64}, {0x4141414141}}},
              {"as a real", {whole_at, Type::u64, {Type::f64}, {one}}},
              {"another result", {whole_at, Type::f64, {Type::pointer}, {one}}},
              {"a pointer for a result", {whole_at, Type::pointer, {Type::pointer}, {one}}},
              {"more arguments", {whole_at, Type::u64, {Type::pointer, Type::pointer}, {one, one}}},
              {"none", {whole_at, Type::u64, {}, {}}},
              {"a pointer for a count",
               {address_of(&counted), Type::u64, {Type::pointer, Type::pointer}, {one, 1}}}});
}

TEST_F(ABadServer, GetsNothingReadBehindInvariantMemory) {
  const auto *one = objects_.one.data();
  const auto *other = objects_.other.data();
  const auto whole_of = [](std::uint64_t address) {
    return core::NativeCall{address_of(&whole), Type::u64, {Type::pointer}, {address}};
  };
  const auto counted_of = [](std::uint64_t address, std::uint64_t count) {
    return core::NativeCall{
        address_of(&counted), Type::u64, {Type::pointer, Type::u64}, {address, count}};
  };
  const auto followed_of = [](std::uint64_t address) {
    return core::NativeCall{address_of(&followed), Type::u64, {Type::pointer}, {address}};
  };
  const std::uint64_t local = 0;
  expect_all(false,
             {{"no object", whole_of(0)},
              {"the stack", whole_of(address_of(&local))},
              {"far away", whole_of(0x4141414141)},
              {"the last address", whole_of(~std::uint64_t{0})},
              {"before an object", whole_of(address_of(one) - 1)},
              {"from one object into the next", whole_of(address_of(one + 3))},
              {"the last bytes", whole_of(address_of(other + 1))},
              {"five times", counted_of(address_of(one), 5)},
              {"often", counted_of(address_of(one), ~std::uint64_t{0})},
              {"as often as 64 bits can say", counted_of(address_of(one), std::uint64_t{1} << 61)},
              {"zero times outside", counted_of(address_of(&local), 0)},
              {"a pointer that the program does not have", followed_of(address_of(one + 1))}});
}

// An invariant is identified by its position in the list of the request.
TEST_F(ABadServer, GetsNoCallForInvariantsThatWereNotSent) {
  BadServer bad(server_,
                {{{1}, {address_of(&whole), Type::u64, {Type::pointer}, {0}}},
                 {{~std::uint64_t{0}}, {address_of(&whole), Type::u64, {Type::pointer}, {0}}}});
  EXPECT_EQ(results_of(bad), (std::vector<bool>{false, false}));
}

/// Listens at the path of a server without having its key: announces the largest frame that a
/// server may answer with, and sends bytes of it.
class Impostor {
public:
  explicit Impostor(const std::string &path)
      : listener_(path, [this](int client) { serve(client); }) {}

  /// The most bytes that a client has taken.
  [[nodiscard]] std::size_t taken() const { return taken_; }

private:
  void serve(int client) {
    const auto length = static_cast<std::uint32_t>(remote::kMostAnswer);
    const std::string bytes(1U << 20, 'x');
    std::size_t taken = 0;
    ssize_t sent = send(client, &length, sizeof length, MSG_NOSIGNAL);
    for (; sent > 0 && taken < remote::kMostAnswer; taken += static_cast<std::size_t>(sent))
      sent = send(client, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    taken_ = std::max(taken_.load(), taken);
    close(client);
  }

  std::atomic<std::size_t> taken_ = 0;
  Listener listener_; ///< Ends first.
};

TEST(AnImpostor, GetsNothingRead) {
  const ServerProcess server;
  const Impostor impostor(server.file("impostor"));
  remote::ToServer way({"unix:" + server.file("impostor").string(), server.file("server.pub"), {}});
  remote::RemoteCompiler compiler(way);
  const auto toolchain = compiler.toolchain();
  ASSERT_FALSE(toolchain);
  EXPECT_EQ(toolchain.error().code, ErrorCode::server_refused);
  EXPECT_LT(impostor.taken(), 16U << 20) << "more than fits into sockets";
}

} // namespace
} // namespace sartor::server
