// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/protocol/remote_compiler.h"

#include <algorithm>
#include <chrono>
#include <functional>
#include <mutex>
#include <set>
#include <string>
#include <utility>

#include "base/hash.h"
#include "base/text/printable.h"
#include "core/compiler/stored_stub.h"
#include "core/image/pack.h"
#include "core/request/addresses_bound.h"
#include "core/request/foldable.h"
#include "core/space/stored_module.h"
#include "remote/protocol/order.h"
#include "remote/protocol/session.h"

namespace sartor::remote {

namespace {

using namespace std::chrono_literals;
using GoOn = Channel::GoOn;

/// How long a program waits while it opens its handlers.
constexpr auto kOpeningPatience = 60s;

/// How long a program waits until a report has been received.
constexpr auto kReportPatience = 2s;

/// The time limit for questions without a deadline.
GoOn until_after(std::chrono::milliseconds patience) {
  return [until = std::chrono::steady_clock::now() + patience] {
    return std::chrono::steady_clock::now() < until;
  };
}

/// Asks, and again if the compiler has ended meanwhile because another request exceeded a limit.
template <class Ask>
auto ask_through_limits(Connector &connector, const Ask &ask) -> decltype(ask()) {
  for (;;) {
    const unsigned ends = connector.ends_by_limits();
    auto answer = ask();
    if (answer || answer.error().code != ErrorCode::compiler_lost ||
        connector.ends_by_limits() == ends)
      return answer;
  }
}

/// Asks one question, in a conversation of its own.
Result<Frame> ask_once(Connector &connector, Kind question, const std::string &body, Kind wanted,
                       std::chrono::milliseconds patience = kOpeningPatience) {
  const GoOn go_on = until_after(patience);
  return ask_through_limits(connector, [&]() -> Result<Frame> {
    auto session = Session::open(connector, go_on);
    if (!session)
      return std::unexpected(std::move(session.error()));
    return (*session)->ask(question, body, wanted, go_on);
  });
}

Result<core::HandlerModule> module_in(const Result<Frame> &answer) {
  if (!answer)
    return std::unexpected(answer.error());
  return core::unpack_module(answer->body);
}

Result<core::CodeImage> image_in(const Result<Frame> &answer) {
  if (!answer)
    return std::unexpected(answer.error());
  return core::unpack_image(answer->body);
}

std::uint64_t number(const void *pointer) { return reinterpret_cast<std::uintptr_t>(pointer); }

/// A maker's conversation, begun when it is needed and again after it was lost.
class Talk {
public:
  Talk(Connector &connector, std::shared_ptr<const core::HandlerModule> module)
      : connector_(connector), module_(std::move(module)) {}

  /// Asks the first of several questions. A conversation lost since the last time is not an error,
  /// but begun again.
  Result<Frame> begin(Kind question, const std::string &body, Kind wanted, const GoOn &go_on,
                      const Session::OnCall &on_call = {}) {
    if (session_ && session_->is_outdated())
      session_.reset();
    return ask_through_limits(connector_, [&] {
      const bool may_be_stale = is_good();
      auto answer = ask(question, body, wanted, go_on, on_call);
      if (!answer && may_be_stale && answer.error().code == ErrorCode::compiler_lost)
        answer = ask(question, body, wanted, go_on, on_call);
      return answer;
    });
  }
  /// Asks a question that depends on earlier ones.
  Result<Frame> go_on_with(Kind question, const std::string &body, Kind wanted, const GoOn &go_on) {
    if (!is_good())
      return std::unexpected(lost("has gone in the middle of a request"));
    return session_->ask(question, body, wanted, go_on);
  }
  /// Identifies the last question that was answered.
  [[nodiscard]] const base::ContentKey &asked() const { return session_->asked(); }
  [[nodiscard]] Connector &connector() const { return connector_; }
  [[nodiscard]] const core::HandlerModule &module() const { return *module_; }

private:
  [[nodiscard]] bool is_good() const {
    return session_ && !session_->is_broken() && !session_->is_inherited();
  }

  Result<Frame> ask(Kind question, const std::string &body, Kind wanted, const GoOn &go_on,
                    const Session::OnCall &on_call) {
    if (!is_good())
      if (auto opened = open(go_on); !opened)
        return std::unexpected(std::move(opened.error()));
    return session_->ask(question, body, wanted, go_on, Kind::failed, on_call);
  }

  Result<void> open(const GoOn &go_on) {
    session_.reset();
    auto session = Session::open(connector_, go_on);
    if (!session)
      return std::unexpected(std::move(session.error()));
    if (packed_.empty())
      packed_ = core::pack_module(*module_);
    auto known = (*session)->ask(Kind::use_module, base::to_text(base::hash_of({packed_})),
                                 Kind::done, go_on, Kind::unknown);
    if (known && known->kind == Kind::unknown)
      known = (*session)->ask(Kind::give_module, packed_, Kind::done, go_on);
    if (!known)
      return std::unexpected(known.error());
    session_ = std::move(*session);
    return {};
  }

  Connector &connector_;
  std::shared_ptr<const core::HandlerModule> module_;
  std::string packed_;
  std::unique_ptr<Session> session_;
};

GoOn until(const core::Deadline &deadline) {
  return [&deadline] { return !deadline.passed(); };
}

// Replaces the order's numbers by this process's. Returns false if one is unknown.
bool take_numbers(FoldReport &fold_report, const std::vector<std::uint64_t> &invariants) {
  for (InvariantReport &each : fold_report.invariants) {
    if (each.invariant >= invariants.size())
      return false;
    each.invariant = invariants[each.invariant];
  }
  std::ranges::sort(fold_report.invariants, {}, &InvariantReport::invariant);
  return true;
}

class RemoteDraft final : public core::Draft {
public:
  using Again = std::function<Result<std::unique_ptr<core::Draft>>(const core::Deadline &deadline)>;

  /// `again` makes the draft with its image if the compiler has ended meanwhile because another
  /// request exceeded a limit.
  RemoteDraft(Talk &talk, Drafted drafted, std::vector<std::uint64_t> depends_on, Again again)
      : talk_(talk), image_(std::move(drafted.image)), again_(std::move(again)),
        ends_(talk.connector().ends_by_limits()) {
    key = drafted.key;
    invariants = std::move(depends_on);
    places = std::move(drafted.places);
    for (const Remark &remark : drafted.remarks)
      remarks.push_back({remark.code, base::printable(remark.message)});
    fold_report = std::move(drafted.fold_report);
  }

  Result<core::CodeImage> make(const core::Deadline &deadline) override {
    if (image_)
      return core::unpack_image(*image_);
    auto image = image_in(talk_.go_on_with(Kind::make, {}, Kind::image, until(deadline)));
    if (image || image.error().code != ErrorCode::compiler_lost ||
        talk_.connector().ends_by_limits() == ends_)
      return image;
    auto drafted = again_(deadline);
    return drafted ? (*drafted)->make(deadline) : std::unexpected(std::move(drafted.error()));
  }

private:
  Talk &talk_;
  std::optional<std::string> image_; ///< Set if it was made at once.
  const Again again_;
  const unsigned ends_; ///< When it was drafted.
};

core::Purpose without_key(core::Purpose purpose) {
  purpose.wants_key = false;
  return purpose;
}

class RemoteMaker final : public core::Maker {
public:
  RemoteMaker(Connector &connector, std::shared_ptr<const core::HandlerModule> module)
      : talk_(connector, std::move(module)) {}

  Result<std::unique_ptr<core::Draft>> draft(const core::Context &context,
                                             const std::string &symbol,
                                             const core::Purpose &purpose,
                                             const core::Deadline &deadline) override {
    auto ordered = to_order(context, talk_.module());
    if (!ordered)
      return std::unexpected(std::move(ordered.error()));
    DraftOrder &order = ordered->order;
    order.symbol = symbol;
    order.purpose = purpose;
    order.purpose.wants_key &= !talk_.connector().is_server();
    order.at_once = !order.purpose.wants_key;
    std::set<std::string> refused;
    const auto bound = core::addresses_bound(context);
    const auto on_call = [&](const CallOrder &call) -> std::optional<std::uint64_t> {
      const auto invariants = ordered->invariants_at(call.invariants);
      if (!context.memory || !invariants || !context.memory->read())
        return std::nullopt;
      std::string why = core::why_not_callable(call.call, talk_.module().foldables,
                                               *context.memory->read(), bound);
      if (why.empty())
        return context.memory->call(*invariants, call.call);
      refused.insert("a compiler outside of the program may not call " + std::move(why));
      return std::nullopt;
    };
    const auto answer =
        talk_.begin(Kind::draft, to_bytes(order), Kind::drafted, until(deadline), on_call);
    if (!answer)
      return std::unexpected(answer.error());
    auto drafted = read_answer<Drafted>(*answer);
    if (!drafted)
      return std::unexpected(std::move(drafted.error()));
    auto invariants = ordered->invariants_at(drafted->invariants);
    const bool is_reported = invariants && take_numbers(drafted->fold_report, ordered->invariants);
    if (!is_reported || drafted->image.has_value() != order.at_once)
      return std::unexpected(Failure{ErrorCode::server_refused, symbol, "is not what was asked for",
                                     "use the same version of Sartor on both sides"});
    for (const std::string &why : refused)
      drafted->remarks.push_back({RemarkCode::fold_call_refused, why});
    RemoteDraft::Again again;
    if (!order.at_once)
      again = [this, context, symbol, at_once = without_key(purpose)](const core::Deadline &limit) {
        return draft(context, symbol, at_once, limit);
      };
    auto draft = std::make_unique<RemoteDraft>(talk_, std::move(*drafted), std::move(*invariants),
                                               std::move(again));
    if (talk_.connector().is_server())
      draft->asked = talk_.asked();
    return draft;
  }

  Result<core::CodeImage> entry_function(const std::string &handler,
                                         const std::map<unsigned, BoundArgument> &bound,
                                         bool inlined, const core::Deadline &deadline) override {
    return image_in(talk_.begin(Kind::entry_function, to_bytes(EntryOrder{handler, bound, inlined}),
                                Kind::image, until(deadline)));
  }

  Result<core::CodeImage> rotation_stub(const std::string &handler, const core::RotationSite &site,
                                        const core::Deadline &deadline) override {
    const RotationOrder order{handler,
                              site.table,
                              site.slot,
                              number(site.plan),
                              number(site.rotation),
                              reinterpret_cast<std::uintptr_t>(site.enter),
                              reinterpret_cast<std::uintptr_t>(site.next)};
    return image_in(
        talk_.begin(Kind::rotation_stub, to_bytes(order), Kind::image, until(deadline)));
  }

  Result<core::CheckingStub> checking_stub(const std::string &handler,
                                           const core::Deadline &deadline) override {
    const auto answer =
        talk_.begin(Kind::checking_stub, to_bytes(StubOrder{handler}), Kind::stub, until(deadline));
    if (!answer)
      return std::unexpected(answer.error());
    return core::unpack_stub(answer->body);
  }

private:
  Talk talk_;
};

} // namespace

Result<core::HandlerModule> RemoteCompiler::load_embedded(std::span<const sartor_module> modules) {
  auto module = module_in(
      ask_once(connector_, Kind::load_embedded, to_bytes(to_modules(modules)), Kind::module));
  if (module)
    module->resolve(modules);
  return module;
}

Result<core::HandlerModule> RemoteCompiler::load_file(const std::string &name,
                                                      const std::string &content) {
  return module_in(
      ask_once(connector_, Kind::load_file, to_bytes(ModuleFile{name, content}), Kind::module));
}

Result<core::Toolchain> RemoteCompiler::toolchain() {
  {
    const std::lock_guard lock(mutex_);
    if (toolchain_)
      return *toolchain_;
  }
  auto session = ask_through_limits(
      connector_, [this] { return Session::open(connector_, until_after(kOpeningPatience)); });
  if (!session)
    return std::unexpected(std::move(session.error()));
  const std::lock_guard lock(mutex_);
  toolchain_ = (*session)->toolchain();
  return *toolchain_;
}

Result<void> RemoteCompiler::check_pipeline(const Pipeline &pipeline) {
  if (auto prepared = connector_.prepare(pipeline); !prepared)
    return prepared;
  const auto answer = ask_once(connector_, Kind::check_pipeline, to_bytes(pipeline), Kind::done);
  if (!answer)
    return std::unexpected(answer.error());
  return {};
}

Result<void> RemoteCompiler::report_quarantined(const base::ContentKey &asked) {
  if (!connector_.is_server())
    return {};
  const auto answer =
      ask_once(connector_, Kind::quarantine, to_bytes(asked), Kind::done, kReportPatience);
  if (!answer)
    return std::unexpected(answer.error());
  return {};
}

std::unique_ptr<core::Maker>
RemoteCompiler::make_maker(std::shared_ptr<const core::HandlerModule> module) {
  return std::make_unique<RemoteMaker>(connector_, std::move(module));
}

} // namespace sartor::remote
