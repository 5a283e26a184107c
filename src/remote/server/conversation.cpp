// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/conversation.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <ctime>
#include <optional>
#include <utility>

#include "base/build_stamp.h"
#include "remote/protocol/device_message.h"
#include "remote/protocol/message.h"
#include "remote/server/admin.h"
#include "remote/server/clients/admission.h"

namespace sartor::server {

using remote::Kind;

namespace {

using namespace std::chrono_literals;

constexpr auto kGreetingPatience = 10s;
constexpr auto kMessagePatience = 60s;
constexpr auto kCallPatience = 10s;
constexpr std::size_t kLargestGreeting = 64U << 10;
/// The result of a call: a number, or a page of a device's memory.
constexpr std::size_t kLargestResult = 64U << 10;
constexpr std::size_t kMostWelcomeBytes = 1U << 20;
constexpr std::size_t kLargestWelcome = 64U << 10;
/// The number of digits of a module's hash.
constexpr std::size_t kHashDigits = 2 * sizeof(base::ContentKey);

struct Greeting {
  Port port;
  Kind greeting;
};
/// The greetings that are accepted on each port.
constexpr Greeting kGreetings[] = {
    {Port::programs, Kind::hello},
    {Port::programs, Kind::device_hello},
    {Port::programs, Kind::admin}, // an operator's connection needs no greeting
    {Port::devices, Kind::device_hello},
};

struct Following {
  Kind greeting;
  Kind question;
};
/// The questions that may follow each greeting.
constexpr Following kFollowing[] = {
    {Kind::hello, Kind::hello},
    {Kind::hello, Kind::load_embedded},
    {Kind::hello, Kind::load_file},
    {Kind::hello, Kind::check_pipeline},
    {Kind::hello, Kind::use_module},
    {Kind::hello, Kind::give_module},
    {Kind::hello, Kind::draft},
    {Kind::hello, Kind::entry_function},
    {Kind::hello, Kind::rotation_stub},
    {Kind::hello, Kind::checking_stub},
    {Kind::hello, Kind::quarantine},
    {Kind::device_hello, Kind::device_hello},
    {Kind::device_hello, Kind::use_module},
    {Kind::device_hello, Kind::customize},
    {Kind::admin, Kind::admin},
};

bool may_greet(Port port, Kind kind) {
  return std::ranges::any_of(
      kGreetings, [&](const Greeting &each) { return each.port == port && each.greeting == kind; });
}

bool may_follow(Kind greeting, Kind kind) {
  return std::ranges::any_of(kFollowing, [&](const Following &each) {
    return each.greeting == greeting && each.question == kind;
  });
}

std::unexpected<Failure>
refusal(const char *what, std::string why,
        std::string remedy = "use the same build of Sartor on both sides") {
  return std::unexpected(
      Failure{ErrorCode::server_refused, what, std::move(why), std::move(remedy)});
}

template <std::size_t kSize> std::string_view view(const std::array<unsigned char, kSize> &bytes) {
  return {reinterpret_cast<const char *>(bytes.data()), bytes.size()};
}

/// The properties of a question that decide where its answer may come from.
struct Nature {
  bool is_answered = false; ///< The question is answered at all.
  bool is_kept = false;     ///< The same question may come again.
  bool lasts = false;       ///< The same question may come from another process.
};

// Runs in constant memory; the compiler reads the whole question.
Nature nature_of(Kind kind, std::string_view question) {
  switch (kind) {
  case Kind::load_embedded:
  case Kind::load_file:
  case Kind::entry_function:
  case Kind::checking_stub:
    return {true, true, true};
  case Kind::rotation_stub:
    return {true, false, false}; // it contains addresses of its process
  case Kind::check_pipeline: {
    const auto pipeline = remote::skim<Pipeline>(question);
    return {pipeline && pipeline->plugins.empty(), true, false};
  }
  case Kind::draft: {
    const auto order = remote::skim<remote::DraftOrder>(question);
    if (!order || !order->at_once || order->purpose.wants_key ||
        !order->purpose.pipeline.plugins.empty())
      return {};
    return {true, !order->profile, !order->profile && !order->memory};
  }
  case Kind::customize:
    return {true, true, true};
  default:
    return {};
  }
}

/// Returns the reason to refuse a client with such a greeting; nullopt if it is accepted.
std::optional<Failure> against(Kind greeting, const std::string &bytes) {
  const auto differs = [](std::uint32_t theirs, std::uint32_t ours) {
    return refusal("the program", "speaks version " + std::to_string(theirs) +
                                      " of the protocol, not " + std::to_string(ours))
        .error();
  };
  const Failure unreadable = refusal("a greeting", "cannot be read").error();
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
  if (hello->build != base::kBuildStamp)
    return refusal("the program",
                   "has another build of Sartor: " + hello->build + ", not " + base::kBuildStamp)
        .error();
  return std::nullopt;
}

/// Marks the connection as busy while it exists.
class Busy {
public:
  explicit Busy(Connection &connection) : connection_(connection) {
    ++connection_.requests;
    connection_.is_busy = true;
  }
  ~Busy() { connection_.is_busy = false; }
  Busy(const Busy &) = delete;
  Busy &operator=(const Busy &) = delete;

private:
  Connection &connection_;
};

/// Makes the same question from other clients wait until this is destroyed.
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

asio::awaitable<void> Conversation::refuse(const Failure &why) {
  (void)co_await send(wire_, Kind::failed, remote::to_bytes(why));
  co_await wire_.finish();
}

asio::awaitable<Result<Received>> Conversation::hear_greeting() {
  const Limit limit(co_await asio::this_coro::executor, wire_, kGreetingPatience);
  auto greeting = co_await receive(
      wire_, {kLargestGreeting, kGreetingPatience, "use the same build of Sartor on both sides"},
      means_);
  if (!greeting)
    co_return std::unexpected(std::move(greeting.error()));
  if (!*greeting)
    co_return std::unexpected(remote::lost("has gone"));
  if (!may_greet(port_, (*greeting)->frame.kind))
    co_return refusal("a question", port_ == Port::devices
                                        ? "is not the greeting of a device, which this port is for"
                                        : "came before a greeting");
  co_return std::move(**greeting);
}

asio::awaitable<void> Conversation::run() {
  auto greeting = co_await hear_greeting();
  if (!greeting) {
    if (greeting.error().code != ErrorCode::server_refused)
      co_return;
    note_refusal(shared_, connection_.peer, "no_greeting", greeting.error().message);
    co_return co_await refuse(greeting.error());
  }
  if (auto admitted = hello_charge_.add(account_, greeting->frame.body.size()); !admitted)
    co_return co_await refuse(admitted.error());
  greeting_ = greeting->frame.kind;
  hello_ = greeting->frame.body;
  const Limits limits{shared_.options.largest_request, kMessagePatience};
  bool goes_on = co_await take(std::move(*greeting));
  while (goes_on && !shared_.stopping) {
    auto question = co_await receive(wire_, limits, means_);
    if (question && !*question)
      co_return;
    if (!question) {
      note_refusal(shared_, connection_.peer, "bad_message", question.error().message);
      co_return co_await refuse(question.error());
    }
    goes_on = co_await take(std::move(**question));
  }
  co_await wire_.finish();
}

asio::awaitable<bool> Conversation::take(Received question) {
  const Busy busy(connection_);
  const bool is_admin = question.frame.kind == Kind::admin;
  const auto reply = co_await answer(std::move(question));
  if (!reply) {
    if (reply.error().code == ErrorCode::server_refused && !is_admin)
      note_refusal(shared_, connection_.peer, "request_refused", reply.error().message);
    const bool sent = co_await send(wire_, Kind::failed, remote::to_bytes(reply.error()));
    co_return sent &&reply.error().code != ErrorCode::server_refused;
  }
  const std::string &body = *reply->body;
  if (reply->kind == Kind::failed || is_admin)
    co_return co_await send(wire_, reply->kind, body);
  const base::Signature signature = co_await shared_.heavy.run(body.size(), [&] {
    return reply->said.signature(reply->kind, body, *connection_.server_key);
  });
  co_return co_await send(wire_, reply->kind, body, view(signature), &means_);
}

asio::awaitable<Result<Conversation::Reply>> Conversation::answer(Received question) {
  const auto &[kind, body] = question.frame;
  if (!may_follow(*greeting_, kind))
    co_return refusal("a question", "is none that a server answers after such a greeting");
  if (kind == Kind::admin)
    co_return co_await administer(body);
  Said said;
  said.transcript = co_await shared_.heavy.run(body.size(), [&] {
    remote::Transcript transcript = transcript_;
    transcript.add(question.frame.kind, question.frame.body);
    return transcript;
  });
  if (remote::Transcript::is_lasting(kind))
    transcript_ = said.transcript;
  Result<Reply> reply = Reply();
  if (kind == *greeting_)
    reply = co_await welcome(kind, body);
  else if (kind == Kind::use_module)
    reply = use_module(body);
  else if (kind == Kind::quarantine)
    reply = report(body);
  else if (kind == Kind::give_module)
    reply = co_await give_module(std::move(question));
  else
    co_return co_await counted(
        kind, charged(std::move(question.charge), std::move(question.frame.body)), std::move(said));
  if (reply)
    reply->said = said.transcript;
  co_return reply;
}

asio::awaitable<Result<Conversation::Reply>> Conversation::administer(const std::string &request) {
  auto answer = co_await server::administer(shared_, connection_.peer, request);
  if (!answer)
    co_return std::unexpected(std::move(answer.error()));
  Reply reply{answer->kind, std::make_shared<const std::string>(std::move(answer->body)), {}};
  co_return reply;
}

asio::awaitable<Result<Conversation::Reply>> Conversation::counted(Kind kind, Body question,
                                                                   Said said) {
  const auto begin = std::chrono::steady_clock::now();
  outcome_ = Outcome::made;
  auto reply = co_await find_or_make(kind, std::move(question), said);
  if (!reply || reply->kind == Kind::failed)
    outcome_ = Outcome::failed;
  else
    reply->said = said.transcript;
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  shared_.metrics.answered(account_.client(), outcome_, took);
  co_return reply;
}

// The key is made of the tenant: a compiler answers for the clients whose code it has compiled.
asio::awaitable<Result<Conversation::Reply>> Conversation::welcome(Kind greeting,
                                                                   const std::string &bytes) {
  if (bytes.size() > kLargestGreeting)
    co_return refusal("a greeting", "is too large");
  if (auto why = against(greeting, bytes))
    co_return std::unexpected(std::move(*why));
  const char number = static_cast<char>(greeting);
  const auto key = base::hash_of({account_.tenant(), std::string_view(&number, 1), bytes});
  if (auto known = shared_.welcomes.find(key)) {
    toolchain_ = base::hash_of({*known});
    co_return Reply{Kind::welcome, std::move(known), {}};
  }
  auto made = co_await ask_compiler({greeting, bytes, {}, nullptr, greeting, nullptr}, {});
  if (!made)
    co_return std::unexpected(std::move(made.error()));
  if (made->kind == Kind::welcome &&
      (made->body.size() > kLargestWelcome || !remote::from_bytes<core::Toolchain>(made->body)))
    co_return std::unexpected(Failure{ErrorCode::server_refused, "the server's compiler",
                                      "answers something else to a greeting",
                                      "install the compiler of the server's build"});
  toolchain_ = base::hash_of({made->body});
  Charge charge;
  const std::size_t size = kEntryBytes + made->body.size();
  const auto admitted = charge.add(account_, size);
  auto body = charged(std::move(charge), std::move(made->body));
  if (made->kind == Kind::welcome && admitted) {
    shared_.welcomes.insert(key, account_, body, size);
    while (shared_.welcomes.bytes() > kMostWelcomeBytes && shared_.welcomes.drop_one(nullptr))
      ;
  }
  co_return Reply{made->kind, std::move(body), {}};
}

// Questions of devices outlive a server's build, but answers belong to one build, also of LLVM.
// Tenants are separate.
Answers::Key Conversation::key_of(const remote::Transcript &transcript) const {
  remote::Transcript made = transcript;
  if (*greeting_ == Kind::device_hello)
    made.add(Kind::welcome, base::kBuildStamp);
  return key_of(made.state());
}

Answers::Key Conversation::key_of(const base::ContentKey &state) const {
  return base::hash_of({account_.tenant(), view(toolchain_), view(state)});
}

// The key is made of the tenant of the client, whatever it reports: it cannot name what only others
// may ask for.
Result<Conversation::Reply> Conversation::report(const std::string &question) {
  const auto state = remote::from_bytes<base::ContentKey>(question);
  if (!state)
    return refusal("a report", "cannot be read");
  if (auto added = shared_.reports.add(key_of(*state), account_); !added)
    return std::unexpected(std::move(added.error()));
  shared_.log->write_some(Level::warning, "quarantine_reported", account_.client(),
                          {{"client", account_.client()}, {"module", module_hash_.substr(0, 16)}});
  return Reply{Kind::done, std::make_shared<const std::string>(), {}};
}

Result<Conversation::Reply> Conversation::use_module(const std::string &hash) {
  if (hash.size() != kHashDigits)
    return refusal("a module's hash", "has " + std::to_string(hash.size()) + " digits, not " +
                                          std::to_string(kHashDigits));
  module_hash_ = hash;
  module_ = shared_.modules.find(account_, hash);
  if (!module_ && *greeting_ == Kind::device_hello)
    return refusal("the device", "has handlers that this server has no module of: " + hash,
                   "put the .module that `sartor device` has written into the server's --modules");
  return Reply{module_ ? Kind::done : Kind::unknown, std::make_shared<const std::string>(), {}};
}

asio::awaitable<Result<Conversation::Reply>> Conversation::give_module(Received module) {
  std::string &bytes = module.frame.body;
  const std::string hash = co_await shared_.heavy.run(
      bytes.size(), [&] { return base::to_text(base::hash_of({bytes})); });
  if (hash != module_hash_)
    co_return refusal("a handler module", "is another than was announced");
  auto kept = shared_.modules.insert(account_, hash, std::move(bytes), std::move(module.charge));
  if (!kept)
    co_return std::unexpected(std::move(kept.error()));
  module_ = std::move(*kept);
  co_return Reply{Kind::done, std::make_shared<const std::string>(), {}};
}

asio::awaitable<Result<Conversation::Reply>> Conversation::find_or_make(Kind kind, Body question,
                                                                        Said &said) {
  const Answers::Key key = key_of(said.transcript);
  if (shared_.reports.is_withheld(key, account_))
    co_return std::unexpected(Failure{
        ErrorCode::quarantined, "the variant", "is quarantined at the server",
        "use another configuration, or update the compiler; its operator can allow it again "
        "(sartor server purge)"});
  if (auto found = co_await find(key, said))
    co_return std::move(*found);
  const Nature nature =
      co_await shared_.heavy.run(question->size(), [&] { return nature_of(kind, *question); });
  if (!nature.is_answered)
    co_return refusal("a question", "cannot be read, or is none that a server answers");
  if (const auto same = shared_.under_way.find(key);
      nature.is_kept && same != shared_.under_way.end()) {
    const auto end = same->second; // which its owner cancels
    std::error_code error;
    co_await end->async_wait(asio::redirect_error(asio::use_awaitable, error));
    if (said.calls.empty())
      if (auto found = co_await find(key, said))
        co_return std::move(*found);
  }
  const UnderWay under_way(shared_, key, co_await asio::this_coro::executor);
  auto made = co_await make({*greeting_, hello_, module_ ? module_hash_ : std::string(), module_,
                             kind, std::move(question)},
                            said);
  if (!made)
    co_return std::unexpected(std::move(made.error()));
  if (auto admitted = said.charge.add(account_, kEntryBytes + made->body.size()); !admitted)
    co_return std::unexpected(std::move(admitted.error()));
  if (made->kind == Kind::failed || !nature.is_kept)
    co_return Reply{made->kind, charged(std::move(said.charge), std::move(made->body)), {}};
  const auto answer = charged(std::move(said.charge),
                              Answer{std::move(said.calls), made->kind, std::move(made->body)});
  core::StoredInfo info;
  info.variant = account_.client();
  info.tier = "answer";
  info.made = std::time(nullptr);
  shared_.answers.insert(key, account_, answer, info, nature.lasts);
  co_return Reply{answer->kind, {answer, &answer->body}, {}};
}

asio::awaitable<Result<remote::Frame>> Conversation::make(Question question, Said &said) {
  const OnCall on_call = [&](Kind kind, std::string_view order) { return call(kind, order, said); };
  auto made = co_await ask_compiler(question, on_call);
  // If the compiler was lost, another one is tried, as the question may not be the reason.
  if (!made && made.error().code == ErrorCode::compiler_lost && said.calls.empty() &&
      shared_.pool.has_share(account_.client()))
    made = co_await ask_compiler(std::move(question), on_call);
  if (!made && said.refused)
    co_return std::unexpected(std::move(*said.refused));
  co_return made;
}

// An answer that depends on calls is valid if they have the same results. If they have not, the
// calls have been made nevertheless.
asio::awaitable<std::optional<Conversation::Reply>> Conversation::find(const Answers::Key &key,
                                                                       Said &said) {
  const auto found = co_await shared_.answers.find(key, account_);
  if (!found)
    co_return std::nullopt;
  for (const auto &[kind, order, result] : found->answer->calls)
    if (co_await call(kind, order, said) != result)
      co_return std::nullopt;
  outcome_ = static_cast<Outcome>(found->origin);
  co_return Reply{found->answer->kind, {found->answer, &found->answer->body}, {}};
}

asio::awaitable<Result<remote::Frame>> Conversation::ask_compiler(Question question,
                                                                  const OnCall &on_call) {
  question.means = &means_;
  question.most_answer = shared_.options.largest_answer;
  auto turn =
      co_await shared_.pool.take(account_.client(), question, shared_.options.queue_timeout);
  if (!turn)
    co_return std::unexpected(std::move(turn.error()));
  const auto begin = std::chrono::steady_clock::now();
  Log::Fields about{{"client", account_.client()},
                    {"question", static_cast<int>(question.kind)},
                    {"module", question.module_hash.substr(0, 16)}};
  auto answer = co_await (*turn)->ask(std::move(question), on_call);
  const auto took = std::chrono::steady_clock::now() - begin;
  account_.spent(took);
  note_compilation(std::move(about), took, answer);
  co_return answer;
}

void Conversation::note_compilation(Log::Fields fields, std::chrono::duration<double> took,
                                    const Result<remote::Frame> &answer) {
  const std::string &client = account_.client();
  fields["seconds"] = took.count();
  shared_.metrics.compiled(client, took);
  const bool cannot_start = !answer && answer.error().code == ErrorCode::no_compiler;
  shared_.no_compiler_at =
      cannot_start ? std::optional(std::chrono::steady_clock::now()) : std::nullopt;
  if (took > shared_.options.slow_compile)
    shared_.log->write_some(Level::warning, "slow_compile", client, std::move(fields));
}

asio::awaitable<std::optional<std::string>> Conversation::call(Kind kind, std::string_view order,
                                                               Said &said) {
  const Kind wanted = kind == Kind::page ? Kind::paged : Kind::called;
  const Limit limit(co_await asio::this_coro::executor, wire_, kCallPatience);
  if (!co_await send(wire_, kind, order))
    co_return std::nullopt;
  auto result = co_await receive(
      wire_, {kLargestResult, kCallPatience, "use the same build of Sartor on both sides"}, means_);
  if (result && *result && (*result)->frame.kind == wanted) {
    std::string &body = (*result)->frame.body;
    if (auto admitted = said.charge.add(account_, kCallBytes + order.size() + body.size())) {
      said.transcript.add(kind, order);
      said.transcript.add(wanted, body);
      said.calls.push_back({kind, std::string(order), body});
      co_return std::move(body);
    } else
      said.refused = std::move(admitted.error());
  } else if (!result && result.error().code == ErrorCode::server_refused)
    said.refused = std::move(result.error());
  co_return std::nullopt;
}

} // namespace sartor::server
