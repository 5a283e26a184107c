// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/lazy_opening.h"

#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include "runtime/jit/helper.h"

namespace sartor {

namespace {

constexpr std::chrono::milliseconds kNoLimit{0};

} // namespace

LazyOpening::LazyOpening(Open open, Opened opened, runtime::CompileQueue::MakeWorker make_worker)
    : open_(std::move(open)), opened_(std::move(opened)),
      queue_(core::Tier::quick, std::move(make_worker), kNoLimit) {}

void LazyOpening::start() {
  if (!begun_.exchange(true))
    submit();
}

void LazyOpening::wait() {
  const runtime::Helper helper;
  start();
  std::shared_future<void> end = end_;
  runtime::get_helping(end);
}

void LazyOpening::submit() {
  // A thread that is abandoned in LLVM may continue after this object has been destroyed.
  const auto module = std::make_shared<std::optional<Result<core::HandlerModule>>>();
  auto accepted = queue_.submit(
      {.description = {"opening of the handlers", ""},
       .request = std::numeric_limits<std::uint64_t>::max(),
       .begin = [] { return true; },
       .work = [open = open_, module](runtime::Worker &,
                                      const core::Deadline &) -> runtime::Job::Outcome {
         module->emplace(open());
         return nullptr;
       },
       .done =
           [this, module](runtime::Job::Outcome outcome) {
             if (outcome)
               end(std::move(**module));
             else
               end(std::unexpected(std::move(outcome.error())));
           }});
  if (!accepted)
    end(std::unexpected(std::move(accepted.error())));
}

// The parent's thread may have been anywhere in it, also in `opened`.
void LazyOpening::resume_in_child() {
  if (begun_)
    end(std::unexpected(Failure{ErrorCode::forked, "this process",
                                "was forked while its handlers were being opened",
                                "fork before the first request, or after it"}));
}

void LazyOpening::end(Result<core::HandlerModule> module) {
  if (is_over())
    return; // in a child, which resume_in_child() or the thread pool has told first
  opened_(std::move(module));
  over_.store(true, std::memory_order_release);
  ended_.set_value();
}

} // namespace sartor
