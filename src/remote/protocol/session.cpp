// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/protocol/session.h"

#include <chrono>
#include <utility>

#include "base/build_stamp.h"
#include "base/life.h"
#include "base/reports.h"
#include "base/text/printable.h"
#include "core/image/processor.h"

namespace sartor::remote {

namespace {

using namespace std::chrono_literals;

/// How long a compiler may take to stop on request.
constexpr auto kGrace = 2s;
/// The number of attempts if the compiler is lost at once.
constexpr unsigned kMostGreetings = 3;

Failure printable(Failure failure) {
  for (std::string *text : {&failure.subject, &failure.message, &failure.remedy})
    *text = base::printable(*text);
  return failure;
}

} // namespace

Session::Session(Connector &connector, Connection connection, unsigned era)
    : connector_(connector), connection_(std::move(connection)), generation_(base::generation()),
      era_(era) {}

// A process that is about to end still accepts connections that it will not answer.
Result<std::unique_ptr<Session>> Session::open(Connector &connector, const GoOn &go_on) {
  auto session = greet(connector, go_on);
  for (unsigned again = 0; again < kMostGreetings && !session &&
                           session.error().code == ErrorCode::compiler_lost && go_on();
       ++again)
    session = greet(connector, go_on);
  return session;
}

Result<std::unique_ptr<Session>> Session::greet(Connector &connector, const GoOn &go_on) {
  const unsigned era = connector.era(); // read first: a change meanwhile makes the session outdated
  auto connection = connector.connect(go_on);
  if (!connection)
    return std::unexpected(std::move(connection.error()));
  std::unique_ptr<Session> session(new Session(connector, std::move(*connection), era));
  const auto levels = core::levels_of_this_processor();
  const Hello hello{
      kProtocol, base::kBuildStamp, core::this_processor(), {levels.begin(), levels.end()}};
  const auto welcome = session->ask(Kind::hello, to_bytes(hello), Kind::welcome, go_on);
  if (!welcome)
    return std::unexpected(welcome.error());
  auto toolchain = read_answer<core::Toolchain>(*welcome);
  if (!toolchain)
    return std::unexpected(std::move(toolchain.error()));
  session->toolchain_ = std::move(*toolchain);
  return session;
}

bool Session::is_inherited() const { return generation_ != base::generation(); }

std::unexpected<Failure> Session::broken(Failure why) {
  broken_ = true;
  if (!connection_.channel->is_still_ours())
    base::report_descriptor_lost(ErrorCode::compiler_lost, "the compiler",
                                 "and the connection is lost");
  return std::unexpected(why.code == ErrorCode::compiler_lost ? connector_.why_lost()
                                                              : std::move(why));
}

// A compiler checks from time to time whether the peer still waits.
void Session::abandon() {
  connection_.channel->end();
  const auto until = std::chrono::steady_clock::now() + kGrace;
  const auto go_on = [&] { return std::chrono::steady_clock::now() < until; };
  while (go_on()) {
    const auto frame = connection_.channel->receive(go_on);
    if (frame ? !*frame : frame.error().code != ErrorCode::compile_timeout)
      return;
  }
  connector_.give_up();
}

Result<Frame> Session::take(Frame answer, const Transcript &transcript) {
  if (!connection_.signer)
    return answer;
  if (!transcript.open(answer.kind, answer.body, *connection_.signer))
    return broken({ErrorCode::server_refused, "an answer",
                   "was not signed by the server's key, or belongs to another question",
                   "see whether that is the key that the server says it has"});
  return answer;
}

Result<Frame> Session::ask(Kind question, std::string_view body, Kind wanted, const GoOn &go_on,
                           Kind otherwise, const OnCall &on_call) {
  // Bytes sent before the peer has gone can still be read: perhaps the reason of a refusal.
  const auto sent = connection_.channel->send(question, body, go_on);
  if (!sent && sent.error().code == ErrorCode::server_refused)
    return broken(sent.error()); // it is too large, and nothing was sent
  Transcript transcript = transcript_;
  transcript.add(question, body);
  asked_ = transcript.state();
  if (Transcript::is_lasting(question))
    transcript_ = transcript;
  if (!sent && sent.error().code == ErrorCode::compile_timeout) {
    abandon();
    return broken(sent.error());
  }
  for (;;) {
    auto answer = connection_.channel->receive(go_on);
    if (!answer && answer.error().code == ErrorCode::compile_timeout)
      abandon();
    if (!answer)
      return broken(std::move(answer.error()));
    if (!*answer)
      return broken(lost("has gone"));
    Frame &frame = **answer;
    if (frame.kind == Kind::failed) {
      auto failure = read_answer<Failure>(frame);
      return std::unexpected(failure ? printable(std::move(*failure)) : failure.error());
    }
    if (frame.kind == wanted || frame.kind == otherwise)
      return take(std::move(frame), transcript);
    const auto order =
        frame.kind == Kind::call && on_call ? from_bytes<CallOrder>(frame.body) : std::nullopt;
    if (!order)
      return broken({ErrorCode::server_refused, "an answer", "answers something else",
                     "use the same version of Sartor on both sides"});
    if (!go_on()) { // however many calls there are
      abandon();
      return broken(late());
    }
    const std::string result = to_bytes(on_call(*order));
    transcript.add(Kind::call, frame.body);
    transcript.add(Kind::called, result);
    if (auto reported = connection_.channel->send(Kind::called, result, go_on); !reported)
      return broken(std::move(reported.error()));
  }
}

} // namespace sartor::remote
