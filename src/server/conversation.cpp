// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "server/conversation.h"

#include <chrono>
#include <ctime>
#include <optional>
#include <utility>

#include "engine/build_stamp.h"
#include "remote/device_message.h"
#include "remote/message.h"

namespace sartor::server {

using remote::Kind;

namespace {

using namespace std::chrono_literals;

constexpr auto kGreetingPatience = 10s;
constexpr auto kMessagePatience = 60s;
constexpr auto kCallPatience = 10s;
constexpr std::size_t kMostWelcomes = 64;

bool is_greeting(Kind kind) { return kind == Kind::hello || kind == Kind::device_hello; }

std::unexpected<Failure> refuse(const char *what, std::string why,
                                std::string remedy = "use the same build of Sartor on both sides") {
  return std::unexpected(
      Failure{ErrorCode::server_refused, what, std::move(why), std::move(remedy)});
}

/// What a question is, as far as that decides who may answer it.
struct Nature {
  bool is_answered = false; ///< Somebody may ask that.
  bool is_kept = false;     ///< The same question may come again.
  bool lasts = false;       ///< It may come from another process.
};

Nature nature_of(const remote::Frame &question) {
  switch (question.kind) {
  case Kind::load_embedded:
  case Kind::load_file:
  case Kind::entry_function:
    return {true, true, true};
  case Kind::rotation_stub:
    return {true, false, false}; // it is full of its process's addresses
  case Kind::check_pipeline: {
    const auto pipeline = remote::from_bytes<Pipeline>(question.body);
    return {pipeline && pipeline->plugins.empty(), true, false};
  }
  case Kind::draft: {
    const auto order = remote::from_bytes<remote::DraftOrder>(question.body);
    if (!order || !order->at_once || order->purpose.wants_key ||
        !order->purpose.pipeline.plugins.empty())
      return {};
    return {true, !order->profile, !order->profile && !order->memory};
  }
  case Kind::customize:
    return {remote::from_bytes<remote::Customization>(question.body).has_value(), true, true};
  default:
    return {};
  }
}

/// Why who greets so is not talked to; nothing if he is.
std::optional<Failure> against(Kind greeting, const std::string &bytes) {
  const auto differs = [](std::uint32_t theirs, std::uint32_t ours) {
    return refuse("the program", "speaks version " + std::to_string(theirs) +
                                     " of the protocol, not " + std::to_string(ours))
        .error();
  };
  const Failure unreadable = refuse("a greeting", "cannot be read").error();
  if (greeting == Kind::device_hello) {
    const auto hello = remote::from_bytes<remote::DeviceHello>(bytes);
    if (!hello)
      return unreadable;
    if (hello->protocol != remote::kDeviceProtocol)
      return differs(hello->protocol, remote::kDeviceProtocol);
    return std::nullopt;
  }
  const auto hello = remote::from_bytes<remote::Hello>(bytes);
  if (!hello)
    return unreadable;
  if (hello->protocol != remote::kProtocol)
    return differs(hello->protocol, remote::kProtocol);
  if (hello->build != engine::kBuildStamp)
    return refuse("the program",
                  "has another build of Sartor: " + hello->build + ", not " + engine::kBuildStamp)
        .error();
  return std::nullopt;
}

/// Who else asks the same waits until this goes.
class UnderWay {
public:
  UnderWay(Shared &shared, const Answers::Key &key, const asio::any_io_executor &executor)
      : shared_(shared), key_(key),
        end_(std::make_shared<asio::steady_timer>(executor, asio::steady_timer::time_point::max())),
        is_first_(shared.under_way.emplace(key, end_).second) {}
  ~UnderWay() {
    if (is_first_)
      shared_.under_way.erase(key_);
    end_->cancel();
  }
  UnderWay(const UnderWay &) = delete;
  UnderWay &operator=(const UnderWay &) = delete;

private:
  Shared &shared_;
  Answers::Key key_;
  std::shared_ptr<asio::steady_timer> end_;
  bool is_first_;
};

} // namespace

asio::awaitable<void> Conversation::run() {
  const Limits limits{shared_.options.largest_request, kMessagePatience};
  {
    const Limit limit(co_await asio::this_coro::executor, wire_, kGreetingPatience);
    auto greeting = co_await receive(wire_, limits, shared_.budget);
    if (greeting && !*greeting)
      co_return;
    if (!greeting || !is_greeting((*greeting)->frame.kind)) {
      shared_.metrics.refused("no_greeting").Increment();
      (void)co_await send(wire_, Kind::failed,
                          remote::to_bytes(refuse("a question", "came before a greeting").error()));
      co_return co_await wire_.finish();
    }
    greeting_ = (*greeting)->frame.kind;
    hello_ = std::move((*greeting)->frame.body);
  }
  bool goes_on = co_await take({greeting_, hello_});
  while (goes_on && !shared_.stopping) {
    auto question = co_await receive(wire_, limits, shared_.budget);
    if (question && !*question)
      co_return;
    if (question) {
      goes_on = co_await take(std::move((*question)->frame));
      continue;
    }
    shared_.metrics.refused("bad_message").Increment();
    (void)co_await send(wire_, Kind::failed, remote::to_bytes(question.error()));
    goes_on = false;
  }
  co_await wire_.finish();
}

asio::awaitable<bool> Conversation::take(Frame question) {
  const auto answer = co_await this->answer(std::move(question));
  if (!answer) {
    const bool sent = co_await send(wire_, Kind::failed, remote::to_bytes(answer.error()));
    co_return sent &&answer.error().code != ErrorCode::server_refused;
  }
  co_return co_await send(wire_, answer->kind, answer->body);
}

asio::awaitable<Result<remote::Frame>> Conversation::answer(Frame question) {
  remote::Transcript transcript = transcript_;
  transcript.add(question.kind, question.body);
  if (remote::Transcript::is_lasting(question.kind))
    transcript_ = transcript;
  Result<Frame> answer = refuse("a question", "is none that a server answers");
  switch (question.kind) {
  case Kind::hello:
  case Kind::device_hello:
    answer = co_await welcome(question.kind, question.body);
    break;
  case Kind::use_module:
    answer = use_module(question.body);
    break;
  case Kind::give_module:
    answer = give_module(std::move(question.body));
    break;
  default:
    answer = co_await counted(std::move(question), transcript);
  }
  if (answer && answer->kind != Kind::failed)
    answer->body = transcript.sign(answer->kind, std::move(answer->body), key_);
  co_return answer;
}

asio::awaitable<Result<remote::Frame>> Conversation::counted(Frame question,
                                                             remote::Transcript &transcript) {
  const auto begin = std::chrono::steady_clock::now();
  outcome_ = Outcome::made;
  auto answer = co_await find_or_make(std::move(question), transcript);
  if (!answer || answer->kind == Kind::failed)
    outcome_ = Outcome::failed;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  shared_.metrics.answered(client_, outcome_).Increment();
  shared_.metrics.seconds(outcome_).Observe(took.count());
  co_return answer;
}

asio::awaitable<Result<remote::Frame>> Conversation::welcome(Kind greeting,
                                                             const std::string &bytes) {
  if (auto why = against(greeting, bytes))
    co_return std::unexpected(std::move(*why));
  const std::string key = static_cast<char>(greeting) + bytes;
  if (const auto known = shared_.welcomes.find(key); known != shared_.welcomes.end())
    co_return Frame{Kind::welcome, known->second};
  auto answer = co_await ask_compiler({greeting, bytes, {}, nullptr, greeting, {}}, {});
  if (answer && answer->kind == Kind::welcome) {
    if (shared_.welcomes.size() >= kMostWelcomes)
      shared_.welcomes.clear();
    shared_.welcomes.emplace(key, answer->body);
  }
  co_return answer;
}

// Devices' questions outlive a server's build, and answers are of one.
Answers::Key Conversation::key_of(const remote::Transcript &transcript) const {
  remote::Transcript made = transcript;
  if (greeting_ == Kind::device_hello)
    made.add(Kind::welcome, engine::kBuildStamp);
  return made.state();
}

Result<remote::Frame> Conversation::use_module(const std::string &hash) {
  module_hash_ = hash;
  module_ = shared_.modules.find(hash);
  if (!module_ && greeting_ == Kind::device_hello)
    return refuse("the device", "has handlers that this server has no module of: " + hash,
                  "put the .module that `sartor device` has written into the server's --modules");
  return Frame{module_ ? Kind::done : Kind::unknown, {}};
}

Result<remote::Frame> Conversation::give_module(std::string bytes) {
  module_ = shared_.modules.insert(module_hash_, std::move(bytes));
  if (!module_)
    return refuse("a handler module", "is another than was announced");
  return Frame{Kind::done, {}};
}

asio::awaitable<Result<remote::Frame>> Conversation::find_or_make(Frame question,
                                                                  remote::Transcript &transcript) {
  Said said{transcript, {}};
  const Answers::Key key = key_of(transcript);
  if (auto found = co_await find(key, said))
    co_return std::move(*found);
  const Nature nature = nature_of(question);
  if (!nature.is_answered)
    co_return refuse("a question", "cannot be read, or is none that a server answers");
  if (const auto same = shared_.under_way.find(key);
      nature.is_kept && same != shared_.under_way.end()) {
    const auto end = same->second; // which its owner lets go
    std::error_code error;
    co_await end->async_wait(asio::redirect_error(asio::use_awaitable, error));
    if (said.calls.empty())
      if (auto found = co_await find(key, said))
        co_return std::move(*found);
  }
  const UnderWay under_way(shared_, key, co_await asio::this_coro::executor);
  const OnCall on_call = [&](Kind kind, std::string_view order) { return call(kind, order, said); };
  const Question asked{greeting_, hello_,        module_ ? module_hash_ : std::string(),
                       module_,   question.kind, std::move(question.body)};
  auto made = co_await ask_compiler(asked, on_call);
  // Another compiler may be luckier, with a question that is not to blame.
  if (!made && made.error().code == ErrorCode::compiler_lost && said.calls.empty())
    made = co_await ask_compiler(asked, on_call);
  if (!made || made->kind == Kind::failed)
    co_return made;
  if (nature.is_kept) {
    store::StoredInfo info;
    info.variant = client_;
    info.tier = "answer";
    info.made = std::time(nullptr);
    shared_.answers.insert(
        key, std::make_shared<const Answer>(std::move(said.calls), made->kind, made->body), info,
        nature.lasts);
  }
  co_return made;
}

// An answer that hangs on calls is one if they have the same results. Where they have not, they
// were made nevertheless.
asio::awaitable<std::optional<remote::Frame>> Conversation::find(const Answers::Key &key,
                                                                 Said &said) {
  const auto found = co_await shared_.answers.find(key);
  if (!found)
    co_return std::nullopt;
  for (const auto &[kind, order, result] : found->answer->calls)
    if (co_await call(kind, order, said) != result)
      co_return std::nullopt;
  outcome_ = static_cast<Outcome>(found->origin);
  co_return Frame{found->answer->kind, found->answer->body};
}

asio::awaitable<Result<remote::Frame>> Conversation::ask_compiler(Question question,
                                                                  const OnCall &on_call) {
  auto turn = co_await shared_.pool.take(client_, question, shared_.options.queue_timeout);
  if (!turn)
    co_return std::unexpected(std::move(turn.error()));
  co_return co_await (*turn)->ask(std::move(question), on_call);
}

asio::awaitable<std::optional<std::string>> Conversation::call(Kind kind, std::string_view order,
                                                               Said &said) {
  const Kind wanted = kind == Kind::page ? Kind::paged : Kind::called;
  const Limit limit(co_await asio::this_coro::executor, wire_, kCallPatience);
  if (!co_await send(wire_, kind, order))
    co_return std::nullopt;
  auto result =
      co_await receive(wire_, {shared_.options.largest_request, kCallPatience}, shared_.budget);
  if (!result || !*result || (*result)->frame.kind != wanted)
    co_return std::nullopt;
  std::string &body = (*result)->frame.body;
  said.transcript.add(kind, order);
  said.transcript.add(wanted, body);
  said.calls.push_back({kind, std::string(order), body});
  co_return std::move(body);
}

} // namespace sartor::server
