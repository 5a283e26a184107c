// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "bpf/compiler.h"

#include <future>
#include <utility>

#include "base/thread/large_stack.h"
#include "core/space/readable_name.h"
#include "runtime/jit/generate.h"
#include "runtime/jit/helper.h"

namespace sartor::bpf {

namespace {

constexpr const char *kTarget = "bpf";

/// One variant to be made: if the requester stops waiting, the compiling thread continues with it.
struct Order {
  std::shared_ptr<core::InProcessCompiler> compiler;
  std::shared_ptr<const core::HandlerModule> module;
  core::Context context;
  std::string symbol;
  core::CodeImage image;
  std::promise<Result<void>> done;

  Result<void> make(const core::Deadline &deadline) {
    auto generated = runtime::generate(std::move(context), module->space, kTarget);
    if (!generated)
      return std::unexpected(std::move(generated.error()));
    const auto maker = compiler->make_maker(module);
    auto draft = maker->draft(*generated, symbol, {}, deadline);
    if (!draft)
      return std::unexpected(std::move(draft.error()));
    auto made = (*draft)->make(deadline);
    if (!made)
      return std::unexpected(std::move(made.error()));
    image = std::move(*made);
    return {};
  }
};

} // namespace

Compiler::Compiler(std::shared_ptr<core::InProcessCompiler> aimed,
                   std::shared_ptr<const core::HandlerModule> module,
                   std::chrono::milliseconds timeout)
    : aimed_(std::move(aimed)), module_(std::move(module)),
      compile_queue_(
          core::Tier::full,
          [of = module_] { return std::make_unique<runtime::Worker>(of, nullptr, nullptr); },
          timeout) {}

Result<std::unique_ptr<Compiler>> Compiler::open(const std::string &name, const std::string &object,
                                                 std::chrono::milliseconds timeout) {
  return base::on_large_stack([&]() -> Result<std::unique_ptr<Compiler>> {
    const auto compiler = runtime::find_compiler_helped();
    if (!compiler)
      return std::unexpected(compiler.error());
    auto aimed = (*compiler)->aimed_at(kTarget);
    if (!aimed)
      return std::unexpected(std::move(aimed.error()));
    auto module = (*aimed)->load_file(name, object);
    if (!module)
      return std::unexpected(std::move(module.error()));
    return std::unique_ptr<Compiler>(
        new Compiler(std::move(*aimed),
                     std::make_shared<const core::HandlerModule>(std::move(*module)), timeout));
  });
}

Result<core::CodeImage> Compiler::make(core::Context context, const std::string &symbol) {
  runtime::Job job;
  job.description = {"variant for the kernel", core::readable_name(context.handler),
                     context.configuration};
  const auto order = std::make_shared<Order>(aimed_, module_, std::move(context), symbol,
                                             core::CodeImage(), std::promise<Result<void>>());
  job.request = runtime::next_request();
  job.begin = [] { return true; };
  job.work = [order](runtime::Worker &, const core::Deadline &deadline) -> runtime::Job::Outcome {
    if (auto made = order->make(deadline); !made)
      return std::unexpected(std::move(made.error()));
    return nullptr;
  };
  job.done = [order](runtime::Job::Outcome outcome) {
    order->done.set_value(outcome ? Result<void>() : std::unexpected(std::move(outcome.error())));
  };
  auto done = order->done.get_future();
  const runtime::Helper helper;
  if (auto taken = compile_queue_.submit(std::move(job)); !taken)
    return std::unexpected(std::move(taken.error()));
  if (auto made = runtime::get_helping(done); !made)
    return std::unexpected(std::move(made.error()));
  return std::move(order->image);
}

} // namespace sartor::bpf
