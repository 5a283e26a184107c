// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reports of quarantined variants, by clients that are honest and by clients that are not.
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../line.h"
#include "../server_process.h"
#include "over_tls.h"
#include "paths.h"
#include "remote/protocol/device_message.h"
#include "remote/protocol/transcript.h"

namespace sartor::server {
namespace {

using remote::Kind;
using remote::to_bytes;
using ::testing::HasSubstr;

/// As Reports::kMostOfClient.
constexpr int kMostOfClient = 256;

class Reported : public ::testing::Test {
protected:
  Reported() {
    server_.stop();
    for (const char *client : {"two", "three", "outsider"})
      server_.make_key("clients/" + std::string(client));
    server_.make_key("stranger");
    server_.start();
  }

  [[nodiscard]] Line line(const std::string &client) const {
    return Line(std::make_unique<OverTls>(server_.port(), server_.file(client + ".key")));
  }
  [[nodiscard]] Line greeted(const std::string &client) const {
    Line line = this->line(client);
    const auto welcome = line.ask_and_hear(Kind::hello, to_bytes(good_hello()));
    EXPECT_TRUE(welcome && welcome->kind == Kind::welcome);
    return line;
  }

  /// Asks for a variant. Returns the failure; nothing if it was answered.
  std::optional<Failure> ask(const std::string &client, int value) {
    Line line = this->line(client);
    const auto module = line.open(paths::points());
    const std::string order = to_bytes(order_of(module, value));
    remote::Transcript transcript;
    transcript.add(Kind::hello, to_bytes(good_hello()));
    transcript.add(Kind::use_module, base::to_text(base::hash_of({core::pack_module(module)})));
    transcript.add(Kind::draft, order);
    asked_ = transcript.state();
    const auto answer = line.ask_and_hear(Kind::draft, order);
    if (answer && answer->kind == Kind::drafted)
      return std::nullopt;
    return answer ? remote::from_bytes<Failure>(answer->body) : Failure();
  }
  /// Reports what was asked for last. Returns the failure; nothing if it was received.
  [[nodiscard]] std::optional<Failure> report(const std::string &client) const {
    return report(greeted(client), to_bytes(asked_));
  }
  static std::optional<Failure> report(Line line, const std::string &key) {
    const auto answer = line.ask_and_hear(Kind::quarantine, key);
    if (answer && answer->kind == Kind::done)
      return std::nullopt;
    return answer ? remote::from_bytes<Failure>(answer->body) : Failure();
  }
  static bool is_withheld(const std::optional<Failure> &why) {
    return why && why->code == ErrorCode::quarantined;
  }

  base::ContentKey asked_{};
  ServerProcess server_{{"--quarantine-after", "2", "--group", "fleet=one,two,three"}};
};

TEST_F(Reported, AnswerIsWithheldFromTheReporterAndAfterEnoughReportsFromItsGroup) {
  ASSERT_FALSE(ask("clients/one", 7));
  EXPECT_FALSE(report("clients/one"));
  EXPECT_TRUE(is_withheld(ask("clients/one", 7)));
  EXPECT_FALSE(ask("clients/three", 7)) << "one client has withheld it from others";
  EXPECT_FALSE(report("clients/one")) << "counts once";
  EXPECT_FALSE(ask("clients/three", 7));
  EXPECT_FALSE(report("clients/two"));
  EXPECT_TRUE(is_withheld(ask("clients/three", 7)));
  EXPECT_FALSE(ask("clients/three", 8)) << "another variant was withheld";
  EXPECT_THAT(server_.log(), HasSubstr("quarantine_reported"));
}

TEST_F(Reported, AnswerOfAnotherGroupIsNotTouched) {
  ASSERT_FALSE(ask("clients/one", 7));
  for (const char *client : {"clients/outsider", "clients/two"})
    EXPECT_FALSE(report(client));
  EXPECT_FALSE(ask("clients/three", 7)) << "a client outside of the group was counted";
  EXPECT_FALSE(report("clients/one"));
  EXPECT_TRUE(is_withheld(ask("clients/three", 7)));
  EXPECT_TRUE(is_withheld(ask("clients/outsider", 7))) << "its own report counts for itself";
  EXPECT_TRUE(report(Line(server_.file("socket")), to_bytes(asked_))) << "came before a greeting";
}

TEST_F(Reported, WithoutAKnownKeyNothingIsCounted) {
  ASSERT_FALSE(ask("clients/one", 7));
  for (int i = 0; i < 3; ++i) {
    Line stranger = line("stranger");
    stranger.ask(Kind::hello, to_bytes(good_hello()));
    stranger.ask(Kind::quarantine, to_bytes(asked_));
    const auto answer = stranger.hear();
    EXPECT_TRUE(!answer || answer->kind == Kind::failed);
    Line rude = line("clients/two");
    EXPECT_EQ(report(std::move(rude), to_bytes(asked_))->code, ErrorCode::server_refused);
    Line device = line("clients/two");
    device.ask_and_hear(Kind::device_hello, to_bytes(remote::DeviceHello{.target = "x86-64"}));
    EXPECT_THAT(report(std::move(device), to_bytes(asked_))->message,
                HasSubstr("after such a greeting"));
  }
  for (const char *client : {"clients/one", "clients/two", "clients/three"})
    EXPECT_FALSE(ask(client, 7));
}

TEST_F(Reported, AFloodIsCutOffAndCostsNobodyElse) {
  ASSERT_FALSE(ask("clients/one", 7));
  Line flood = greeted("clients/one");
  for (int i = 0; i < kMostOfClient; ++i) {
    const auto answer =
        flood.ask_and_hear(Kind::quarantine, to_bytes(base::hash_of({std::to_string(i)})));
    ASSERT_TRUE(answer && answer->kind == Kind::done) << i;
  }
  flood.ask(Kind::quarantine, to_bytes(base::hash_of({"one more"})));
  const auto why = flood.refusal();
  ASSERT_TRUE(why);
  EXPECT_EQ(why->code, ErrorCode::server_refused);
  EXPECT_THAT(why->message, HasSubstr("one too many"));
  EXPECT_TRUE(flood.has_ended());
  EXPECT_EQ(report("clients/one")->code, ErrorCode::server_refused);
  EXPECT_FALSE(ask("clients/one", 7)) << "it is answered as before";
  EXPECT_FALSE(report("clients/two"));
  EXPECT_FALSE(report("clients/three"));
  EXPECT_TRUE(is_withheld(ask("clients/one", 7)));
}

TEST_F(Reported, GarbageIsRefused) {
  for (const std::string &key :
       {std::string(), std::string(31, 'x'), std::string(33, 'x'), std::string(100'000, '\xff')}) {
    const auto why = report(greeted("clients/one"), key);
    ASSERT_TRUE(why) << key.size();
    EXPECT_EQ(why->code, ErrorCode::server_refused) << key.size();
  }
  EXPECT_FALSE(ask("clients/one", 7));
}

TEST(ReportsByDefault, AreNotAccepted) {
  const ServerProcess server;
  Line line(server.file("socket"));
  line.ask_and_hear(Kind::hello, to_bytes(good_hello()));
  line.ask(Kind::quarantine, to_bytes(base::hash_of({"a"})));
  EXPECT_THAT(line.refusal()->message, HasSubstr("not accepted"));
}

} // namespace
} // namespace sartor::server
