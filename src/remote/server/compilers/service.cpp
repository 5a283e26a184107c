// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/compilers/service.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <limits>
#include <new>
#include <utility>
#include <vector>

#include "base/build_stamp.h"
#include "base/hash.h"
#include "core/compiler/stored_stub.h"
#include "core/image/pack.h"
#include "core/image/processor.h"
#include "core/space/stored_module.h"
#include "remote/protocol/device_message.h"
#include "remote/protocol/fit_request.h"
#include "remote/protocol/message.h"
#include "remote/protocol/order.h"
#include "remote/server/compilers/allocation_limit.h"
#include "remote/server/compilers/client_memory.h"

namespace sartor::remote {

namespace {

using namespace std::chrono_literals;

/// The interval at which a compilation checks whether the client still waits.
constexpr auto kLook = 5ms;
constexpr std::size_t kMostModules = 16;
constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();

std::unexpected<Failure> refuse(const char *what, std::string why) {
  return std::unexpected(Failure{ErrorCode::server_refused, what, std::move(why),
                                 "use the same build of Sartor on both sides"});
}

std::unexpected<Failure> unreadable() { return refuse("a question", "cannot be read"); }

/// A deadline that has passed when the program has gone.
class UntilEnd final : public core::Deadline {
public:
  explicit UntilEnd(Channel &channel) : channel_(channel) {}
  [[nodiscard]] bool passed() const override {
    const auto now = std::chrono::steady_clock::now();
    if (!ended_ && now - looked_ > kLook) {
      looked_ = now;
      ended_ = channel_.has_ended();
    }
    return ended_;
  }

private:
  Channel &channel_;
  mutable bool ended_ = false;
  mutable std::chrono::steady_clock::time_point looked_;
};

/// Adds what a report says of accesses that are left: a device gets remarks only.
void add_remarks(const FoldReport &report, std::vector<Remark> &remarks) {
  for (const LoopReport &loop : report.loops)
    if (!loop.why_not.empty())
      remarks.push_back({RemarkCode::loop_not_followed,
                         "a loop over invariant memory in " + loop.function +
                             (loop.line != 0 ? ", line " + std::to_string(loop.line) : "") +
                             " is left: " + loop.why_not});
  if (report.indirect_calls > 0)
    remarks.push_back({RemarkCode::pointer_calls_left, "calls through pointers are left: " +
                                                           std::to_string(report.indirect_calls)});
}

} // namespace

class Service::Conversation {
public:
  Conversation(Service &service, std::unique_ptr<Stream> stream)
      : service_(service), channel_(std::move(stream), service.most_message_),
        until_end_(channel_) {}

  void run() {
    while (auto question = channel_.receive(always)) {
      if (!*question)
        return;
      const auto answer = answer_to(**question);
      const bool goes_on = answer || !ends_with(answer.error());
      const auto sent = answer ? channel_.send(answer->kind, answer->body, always)
                               : channel_.send(Kind::failed, to_bytes(answer.error()), always);
      if (!sent || !goes_on)
        return;
    }
  }

  /// Called if LLVM has failed fatally during this conversation. Does not return.
  void fail(const Failure &failure) {
    (void)channel_.send(Kind::failed, to_bytes(failure), always);
    service_.after_fatal_(failure.code);
  }
  /// Called if this thread would take more memory than the last order permits. Does not return.
  void fail_by_memory() {
    fail({ErrorCode::compile_memory, "a compile",
          "took more than " + std::to_string(memory_ >> 20U) + " MiB of memory, and was ended",
          "the active variant stays; simplify it, or raise Options::compile_memory_bytes"});
  }

  static thread_local Conversation *here;

private:
  // After a refusal, the meaning of all that follows is uncertain.
  static bool ends_with(const Failure &failure) {
    return failure.code == ErrorCode::server_refused;
  }

  Result<Frame> answer_to(const Frame &question) {
    if (!welcomed_ && question.kind != Kind::hello && question.kind != Kind::device_hello)
      return refuse("a question", "came before a greeting");
    switch (question.kind) {
    case Kind::hello:
      return welcome(question.body);
    case Kind::device_hello:
      return welcome_device(question.body);
    case Kind::customize:
      return customize(question.body);
    case Kind::load_embedded:
      return load_embedded(question.body);
    case Kind::load_file:
      return load_file(question.body);
    case Kind::check_pipeline:
      return check_pipeline(question.body);
    case Kind::use_module:
      return use_module(question.body);
    case Kind::give_module:
      return give_module(question.body);
    case Kind::draft:
      return draft(question.body);
    case Kind::make:
      return make();
    case Kind::entry_function:
      return entry_function(question.body);
    case Kind::rotation_stub:
      return rotation_stub(question.body);
    case Kind::checking_stub:
      return checking_stub(question.body);
    default:
      return refuse("a question", "is none");
    }
  }

  Result<Frame> welcome(const std::string &body) {
    const auto hello = from_bytes<Hello>(body);
    if (!hello)
      return unreadable();
    if (hello->protocol != kProtocol)
      return refuse("the program", "speaks version " + std::to_string(hello->protocol) +
                                       " of the protocol, not " + std::to_string(kProtocol));
    if (hello->build != base::kBuildStamp)
      return refuse("the program",
                    "has another build of Sartor: " + hello->build + ", not " + base::kBuildStamp);
    if (auto checked = check_request(*hello); !checked)
      return std::unexpected(std::move(checked.error()));
    if (auto aimed = aim_at(*hello); !aimed)
      return std::unexpected(std::move(aimed.error()));
    return welcome();
  }

  Result<Frame> welcome_device(const std::string &body) {
    const auto hello = from_bytes<DeviceHello>(body);
    if (!hello || hello->protocol != kDeviceProtocol)
      return unreadable();
    if (auto checked = check_request(*hello); !checked)
      return std::unexpected(std::move(checked.error()));
    auto aimed = service_.compiler_.aimed_at(hello->target);
    if (!aimed)
      return std::unexpected(std::move(aimed.error()));
    aimed_ = std::move(*aimed);
    compiler_ = aimed_.get();
    target_ = hello->target;
    return welcome();
  }

  Result<Frame> welcome() {
    welcomed_ = true;
    auto toolchain = compiler_->toolchain();
    if (!toolchain)
      return std::unexpected(std::move(toolchain.error()));
    return Frame{Kind::welcome, to_bytes(*toolchain)};
  }

  // Compiles for the processor that this process runs on, or for the highest known level of another
  // one.
  Result<void> aim_at(const Hello &hello) {
    if (hello.processor == core::this_processor())
      return {};
    for (const std::string &level : hello.levels)
      if (auto aimed = service_.compiler_.aimed_at(level)) {
        aimed_ = std::move(*aimed);
        compiler_ = aimed_.get();
        return {};
      }
    return refuse("the program", "runs on a processor that no code is made for here");
  }

  static Result<Frame> answer_with(const Result<core::HandlerModule> &module) {
    if (!module)
      return std::unexpected(module.error());
    return Frame{Kind::module, core::pack_module(*module)};
  }
  static Result<Frame> answer_with(const Result<core::CodeImage> &image) {
    if (!image)
      return std::unexpected(image.error());
    return Frame{Kind::image, core::pack_image(*image)};
  }

  Result<Frame> load_embedded(const std::string &body) {
    const auto modules = from_bytes<Modules>(body);
    if (!modules)
      return unreadable();
    return answer_with(compiler_->load_embedded(ModuleView(*modules).modules()));
  }

  Result<Frame> load_file(const std::string &body) {
    const auto file = from_bytes<ModuleFile>(body);
    if (!file)
      return unreadable();
    if (auto checked = check_request(*file); !checked)
      return std::unexpected(std::move(checked.error()));
    return answer_with(compiler_->load_file(file->name, file->content));
  }

  Result<Frame> check_pipeline(const std::string &body) {
    const auto pipeline = from_bytes<Pipeline>(body);
    if (!pipeline)
      return unreadable();
    if (auto checked = check_request(*pipeline); !checked)
      return std::unexpected(std::move(checked.error()));
    if (auto checked = compiler_->check_pipeline(*pipeline); !checked)
      return std::unexpected(std::move(checked.error()));
    return Frame{Kind::done, {}};
  }

  Result<Frame> use_module(const std::string &hash) {
    hash_ = hash;
    if (const auto known = service_.find(hash_ + target_))
      return use(*known);
    return Frame{Kind::unknown, {}};
  }

  Result<Frame> give_module(const std::string &body) {
    if (base::to_text(base::hash_of({body})) != hash_)
      return refuse("a handler module", "is another than was announced");
    // A device's module is bitcode as its author's compiler has written it, independent of this
    // version of Sartor.
    auto module = target_.empty() ? core::unpack_module(body)
                                  : compiler_->load_file("the device's handlers", body);
    if (!module)
      return std::unexpected(std::move(module.error()));
    if (target_.empty())
      if (auto checked = compiler_->check_module(*module); !checked)
        return std::unexpected(std::move(checked.error()));
    const auto shared = std::make_shared<const core::HandlerModule>(std::move(*module));
    service_.keep(hash_ + target_, shared);
    return use(*shared);
  }

  Result<Frame> use(const core::HandlerModule &known) {
    module_ = std::make_shared<core::HandlerModule>(known);
    draft_.reset();
    maker_ = compiler_->make_maker(module_);
    return Frame{Kind::done, {}};
  }

  Result<Frame> draft(const std::string &body) {
    auto order = request<DraftOrder>(body);
    if (!order)
      return std::unexpected(std::move(order.error()));
    std::shared_ptr<core::InvariantMemory> memory;
    if (order->memory) {
      take_addresses(*module_, *order->memory);
      memory = sent_memory(std::move(*order->memory), channel_);
    }
    const std::string symbol = order->symbol;
    const core::Purpose purpose = order->purpose;
    const bool at_once = order->at_once;
    const auto context = remote::to_context(std::move(*order), std::move(memory), *module_);
    draft_.reset();
    memory_ = purpose.memory == 0 ? kNoLimit : purpose.memory;
    const AllocationLimit limit(memory_, [] { here->fail_by_memory(); });
    auto draft = maker_->draft(context, symbol, purpose, until_end_);
    if (!draft)
      return std::unexpected(std::move(draft.error()));
    Drafted drafted{(*draft)->key,     (*draft)->invariants,  (*draft)->places,
                    (*draft)->remarks, (*draft)->fold_report, {}};
    if (at_once) {
      const auto image = (*draft)->make(until_end_);
      if (!image)
        return std::unexpected(image.error());
      drafted.image = core::pack_image(*image);
    } else {
      draft_ = std::move(*draft);
      memory_left_ = limit.left();
    }
    return Frame{Kind::drafted, to_bytes(drafted)};
  }

  // Returns the context of a device's request.
  Result<core::Context> to_context(const Customization &wanted) {
    auto fitted = fit_request(wanted, *module_);
    if (!fitted)
      return std::unexpected(std::move(fitted.error()));
    core::Context context;
    context.handler = std::move(fitted->handler);
    context.configuration = std::move(fitted->configuration);
    context.arguments = std::move(fitted->arguments);
    if (!fitted->regions.empty()) {
      module_->symbols.clear();
      for (const auto &[name, address] : wanted.symbols)
        module_->symbols.emplace(
            name, reinterpret_cast<void *>(address)); // NOLINT(performance-no-int-to-ptr)
      context.memory = device_memory(fitted->regions, channel_);
    }
    return context;
  }

  Result<Frame> customize(const std::string &body) {
    const auto wanted = from_bytes<Customization>(body);
    if (!wanted || !maker_)
      return unreadable();
    const auto context = to_context(*wanted);
    if (!context)
      return std::unexpected(context.error());
    draft_.reset();
    const std::string name = context->handler + context->configuration.text();
    const auto draft =
        maker_->draft(*context, name, {core::Tier::full, {}, false, wanted->is_small}, until_end_);
    if (!draft)
      return std::unexpected(draft.error());
    const auto image = (*draft)->make(until_end_);
    if (!image)
      return std::unexpected(image.error());
    std::vector<Remark> remarks = image->remarks;
    if (!context->arguments.empty())
      add_remarks(image->fold_report, remarks);
    return Frame{Kind::customized, to_bytes(Customized{(*draft)->invariants, std::move(remarks),
                                                       core::pack_image(*image)})};
  }

  Result<Frame> make() {
    if (!draft_)
      return unreadable();
    const auto draft = std::exchange(draft_, nullptr);
    const AllocationLimit limit(memory_left_, [] { here->fail_by_memory(); });
    return answer_with(draft->make(until_end_));
  }

  Result<Frame> entry_function(const std::string &body) {
    const auto order = request<EntryOrder>(body);
    if (!order)
      return std::unexpected(order.error());
    return answer_with(
        maker_->entry_function(order->handler, order->arguments, order->inlined, until_end_));
  }

  Result<Frame> rotation_stub(const std::string &body) {
    const auto order = request<RotationOrder>(body);
    if (!order)
      return std::unexpected(order.error());
    // NOLINTBEGIN(performance-no-int-to-ptr): addresses in the program
    const core::RotationSite site{
        static_cast<std::ptrdiff_t>(order->table),
        order->slot,
        reinterpret_cast<const std::uint64_t *>(order->plan),
        reinterpret_cast<void *>(order->rotation),
        reinterpret_cast<void *(*)(void *)>(order->enter),
        reinterpret_cast<void (*)(void *, core::RotationBlock *)>(order->next)};
    // NOLINTEND(performance-no-int-to-ptr)
    return answer_with(maker_->rotation_stub(order->handler, site, until_end_));
  }

  Result<Frame> checking_stub(const std::string &body) {
    const auto order = request<StubOrder>(body);
    if (!order)
      return std::unexpected(order.error());
    const auto stub = maker_->checking_stub(order->handler, until_end_);
    if (!stub)
      return std::unexpected(stub.error());
    return Frame{Kind::stub, core::pack_stub(*stub)};
  }

  // Reads a request about the module in use, whose fields must fit it.
  template <class Order> Result<Order> request(const std::string &body) {
    auto order = from_bytes<Order>(body);
    if (!order || !maker_)
      return unreadable();
    return fit_request(std::move(*order), *module_);
  }

  Service &service_;
  Channel channel_;
  UntilEnd until_end_;
  bool welcomed_ = false;
  std::unique_ptr<core::InProcessCompiler> aimed_; ///< Set if the program has another processor.
  core::InProcessCompiler *compiler_ = &service_.compiler_;
  std::string target_; ///< The target, for a device.
  std::string hash_;   ///< The hash of the module in use.
  std::shared_ptr<core::HandlerModule> module_;
  std::unique_ptr<core::Maker> maker_;
  std::uint64_t memory_ = kNoLimit;    ///< What the last order may take.
  std::uint64_t memory_left_ = 0;      ///< What its draft has left of it.
  std::unique_ptr<core::Draft> draft_; ///< Destroyed before its maker.
};

thread_local Service::Conversation *Service::Conversation::here = nullptr;

Service::Service(core::InProcessCompiler &compiler, std::size_t most_message,
                 std::function<void(ErrorCode)> after_fatal)
    : compiler_(compiler), most_message_(most_message), after_fatal_(std::move(after_fatal)) {
  compiler_.refuse_directives();
  compiler_.take_errors([](const char *reason) {
    Conversation *conversation = Conversation::here;
    if (!conversation)
      return;
    conversation->fail({ErrorCode::compile_failed, "LLVM", reason,
                        "the active variant stays; leave out the pass or the configuration that "
                        "causes it"});
  });
}

void Service::serve(std::unique_ptr<Stream> stream) {
  Conversation conversation(*this, std::move(stream));
  Conversation::here = &conversation;
  try {
    conversation.run();
  } catch (const std::bad_alloc &) { // LLVM's frames have not been cleaned up
    conversation.fail({ErrorCode::compile_failed, "LLVM", "out of memory", "allow it more"});
  } catch (const std::exception &error) {
    conversation.fail(
        {ErrorCode::compile_failed, "LLVM", error.what(), "the active variant stays"});
  }
  Conversation::here = nullptr;
}

std::shared_ptr<const core::HandlerModule> Service::find(const std::string &hash) {
  const std::lock_guard lock(mutex_);
  const auto known = std::ranges::find(modules_, hash, &Known::hash);
  if (known == modules_.end())
    return nullptr;
  modules_.splice(modules_.begin(), modules_, known);
  return modules_.front().module;
}

void Service::keep(const std::string &hash, std::shared_ptr<const core::HandlerModule> module) {
  const std::lock_guard lock(mutex_);
  modules_.push_front({hash, std::move(module)});
  if (modules_.size() > kMostModules)
    modules_.pop_back();
}

} // namespace sartor::remote
