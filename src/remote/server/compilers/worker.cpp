// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/compilers/worker.h"

#include <algorithm>
#include <optional>
#include <system_error>
#include <utility>

#include "remote/protocol/message.h"

namespace sartor::server {

using remote::Frame;
using remote::Kind;

namespace {

using namespace std::chrono_literals;

constexpr std::size_t kMostTalks = 8;
/// Answers that take longer are reported to operators.
constexpr auto kSlow = 5s;
constexpr auto kEndPause = 5ms;
/// LLVM keeps a little memory for everything that it has ever compiled, so the process is replaced
/// after this many answers.
constexpr unsigned kMostAnswers = 5'000;

std::shared_ptr<Wire> wire_over(const asio::any_io_executor &executor, int socket) {
  using Socket = asio::local::stream_protocol::socket;
  return std::make_shared<SocketWire<Socket>>(
      Socket(executor, asio::local::stream_protocol(), socket));
}

/// Returns the kind of frame that answers a call or a page.
Kind answer_to(Kind asked) { return asked == Kind::page ? Kind::paged : Kind::called; }

} // namespace

bool Worker::is_about(const Talk &talk, const Question &question) {
  return talk.module_hash == question.module_hash && talk.greeting == question.greeting &&
         talk.hello == question.hello;
}

bool Worker::knows(const Question &question) const {
  return std::ranges::any_of(talks_, [&](const Talk &talk) { return is_about(talk, question); });
}

void Worker::report(CompilerEvent::Kind kind, std::string text, double seconds) const {
  if (on_event_)
    on_event_({kind, client_, std::move(text), seconds});
}

void Worker::stop(Failure why) {
  if (!stopped_)
    stopped_ = std::move(why);
  if (child_)
    child_->kill();
  for (Talk &talk : talks_)
    talk.wire->close();
}

// Later errors on the connection are noticed by the next read or write.
asio::awaitable<Failure> Worker::lose() {
  talks_.clear();
  const auto child = std::move(child_);
  if (stopped_)
    co_return std::move(*stopped_);
  asio::steady_timer pause(co_await asio::this_coro::executor);
  std::optional<std::string> why;
  for (auto left = remote::Child::kEndPatience; child && !why && left > 0ms; left -= kEndPause) {
    why = compilers_.why_ended();
    if (!why)
      why = child->end(0ms);
    if (why)
      break;
    pause.expires_after(kEndPause);
    co_await pause.async_wait(asio::use_awaitable);
  }
  report(CompilerEvent::Kind::crashed, why.value_or("has gone"));
  co_return remote::lost(why.value_or("has gone"));
}

void Worker::replace() {
  talks_.clear();
  child_.reset();
}

asio::awaitable<Result<Frame>> Worker::ask(Question question, OnCall on_call) {
  if (answered_ >= kMostAnswers)
    replace();
  stopped_.reset();
  const auto begin = std::chrono::steady_clock::now();
  // The process is killed rather than asked to stop: the client has waited long enough.
  asio::steady_timer limit(co_await asio::this_coro::executor, patience_);
  const auto asking = std::make_shared<bool>(true);
  limit.async_wait([this, asking](std::error_code error) {
    if (error || !*asking)
      return;
    const std::string seconds = std::to_string(patience_.count() / 1000) + " s";
    report(CompilerEvent::Kind::late, "has not answered in " + seconds,
           static_cast<double>(patience_.count()) / 1000);
    stop({ErrorCode::compile_timeout, "a compile",
          "was not done within the server's limit of " + seconds + ", and was ended",
          "the active variant stays; simplify it, or raise the server's --compile-timeout"});
  });
  const auto talk = co_await this->talk(question);
  Result<Frame> answer = std::unexpected(remote::lost("has gone"));
  if (!talk)
    answer = std::unexpected(talk.error());
  else if (question.kind == question.greeting)
    answer = Frame{Kind::welcome, (*talk)->welcome};
  else
    answer = co_await say(*(*talk)->wire, question.kind, *question.body, question, on_call);
  *asking = false;
  if (!answer && (stopped_ || answer.error().code == ErrorCode::compiler_lost))
    co_return std::unexpected(co_await lose());
  ++answered_;
  if (const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
      took > kSlow)
    report(CompilerEvent::Kind::slow, "has answered", took.count());
  if (answer && answer->kind == Kind::failed && talk) {
    const auto failure = remote::from_bytes<Failure>(answer->body);
    // The compiler trusts nothing after a frame that it could not read.
    if (!failure || failure->code == ErrorCode::server_refused)
      std::erase_if(talks_, [&](const Talk &each) { return &each == *talk; });
    else if (failure->code == ErrorCode::compile_memory)
      replace();
  }
  co_return answer;
}

asio::awaitable<Result<Worker::Talk *>> Worker::talk(const Question &question) {
  const auto known =
      std::ranges::find_if(talks_, [&](const Talk &talk) { return is_about(talk, question); });
  if (known != talks_.end()) {
    talks_.splice(talks_.begin(), talks_, known);
    co_return &talks_.front();
  }
  if (!child_) {
    auto started = compilers_.start();
    if (!started)
      co_return std::unexpected(std::move(started.error()));
    child_ = std::move(*started);
    answered_ = 0;
    report(CompilerEvent::Kind::started, {});
  }
  const auto socket = child_->connect();
  if (!socket)
    co_return std::unexpected(remote::lost("cannot be reached"));
  Talk talk{question.greeting,
            question.hello,
            question.module_hash,
            wire_over(co_await asio::this_coro::executor, *socket),
            {}};
  talks_.push_front(talk); // so that it is closed when the time limit has passed
  if (talks_.size() > kMostTalks)
    talks_.pop_back();
  const auto fail = [&](const Result<Frame> &answer) -> Result<Talk *> {
    std::erase_if(talks_, [&](const Talk &each) { return each.wire == talk.wire; });
    if (!answer)
      return std::unexpected(answer.error());
    auto failure = remote::from_bytes<Failure>(answer->body);
    return std::unexpected(failure ? *failure : remote::lost("answers something else"));
  };
  auto welcome = co_await say(*talk.wire, question.greeting, question.hello, question, {});
  if (!welcome || welcome->kind != Kind::welcome)
    co_return fail(welcome);
  if (!question.module_hash.empty()) {
    auto used = co_await say(*talk.wire, Kind::use_module, question.module_hash, question, {});
    if (used && used->kind == Kind::unknown)
      used = co_await say(*talk.wire, Kind::give_module, *question.module, question, {});
    if (!used || used->kind != Kind::done)
      co_return fail(used);
  }
  talks_.front().welcome = std::move(welcome->body);
  co_return &talks_.front();
}

asio::awaitable<Result<Frame>> Worker::say(Wire &wire, Kind kind, std::string_view body,
                                           const Question &about, const OnCall &on_call) {
  const Limits limits{about.most_answer, patience_,
                      "ask for less code, or raise the server's --largest-answer"};
  if (!co_await send(wire, kind, body))
    co_return std::unexpected(remote::lost("has gone"));
  for (;;) {
    auto answer = co_await receive(wire, limits, *about.means);
    if (!answer && answer.error().code == ErrorCode::server_refused) {
      wire.close(); // the rest of the answer is not read
      std::erase_if(talks_, [&](const Talk &each) { return each.wire.get() == &wire; });
      co_return std::unexpected(std::move(answer.error()));
    }
    if (!answer || !*answer)
      co_return std::unexpected(remote::lost("has gone"));
    Frame &frame = (*answer)->frame;
    if ((frame.kind != Kind::call && frame.kind != Kind::page) || !on_call)
      co_return std::move(frame);
    const auto result = co_await on_call(frame.kind, frame.body);
    if (!result || !co_await send(wire, answer_to(frame.kind), *result)) {
      if (stopped_)
        co_return std::unexpected(remote::lost("has gone"));
      wire.close(); // the compiler stops at the next question that it cannot ask
      std::erase_if(talks_, [&](const Talk &each) { return each.wire.get() == &wire; });
      co_return std::unexpected(
          Failure{ErrorCode::server_refused, "the program", "has gone", "ask again"});
    }
  }
}

} // namespace sartor::server
