// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/quarantine/compile_failures.h"

#include <algorithm>
#include <ctime>
#include <utility>

namespace sartor::core {

namespace {

constexpr std::int64_t kFirstPause = std::int64_t{10} * 60;
constexpr std::int64_t kLongestPause = std::int64_t{24} * 60 * 60;

ErrorCode code_of(QuarantineReason reason) {
  return reason == QuarantineReason::compile_memory ? ErrorCode::compile_memory
                                                    : ErrorCode::compile_timeout;
}

const char *text_of(ErrorCode why) {
  return why == ErrorCode::compile_memory ? "took too much memory" : "took too long";
}

const char *remedy_of(ErrorCode why) {
  return why == ErrorCode::compile_memory ? "simplify it, or raise Options::compile_memory_bytes"
                                          : "simplify it, or raise Options::compile_timeout";
}

std::int64_t pause_after(unsigned count) {
  return std::min(kLongestPause, kFirstPause << std::min(count - 1, 16U));
}

} // namespace

CompileFailures::CompileFailures(std::filesystem::path state, std::string limits, Now now)
    : files_(std::move(state), kCompileFailures), limits_(std::move(limits)),
      now_(now ? std::move(now) : [] { return static_cast<std::int64_t>(std::time(nullptr)); }) {}

base::ContentKey CompileFailures::key_of(const CompileRequest &request) const {
  return base::hash_of({"compile failure 1", limits_,
                        request.tier == Tier::quick ? "quick" : "full",
                        base::to_text(request.key.hash)});
}

// A time in the future is of a clock that was set back since.
std::int64_t CompileFailures::seconds_left(const Known &known) const {
  const std::int64_t now = now_();
  return known.count == 0 || known.last > now ? 0 : known.last + pause_after(known.count) - now;
}

std::optional<Failure> CompileFailures::refusal(const CompileRequest &request) {
  const base::ContentKey hash = key_of(request);
  Known found;
  bool is_hung = false;
  {
    const base::MutexLock lock(mutex_);
    if (const auto hung = hung_.find({request.key.handler, request.passes}); hung != hung_.end()) {
      found = hung->second;
      is_hung = seconds_left(found) > 0;
    }
    if (!is_hung) {
      const auto known = known_.find(hash);
      found = known != known_.end() ? known->second : Known();
    }
  }
  if (const auto entry = is_hung ? std::nullopt : files_.find(hash); entry && entry->last <= now_())
    if (entry->last > found.last || entry->processes > found.count)
      found = {std::max(entry->processes, found.count), std::max(entry->last, found.last),
               code_of(entry->reason)};
  const std::int64_t left = seconds_left(found);
  if (left <= 0)
    return std::nullopt;
  return Failure{found.why, request.variant,
                 std::string("is not compiled: an earlier compile of ") +
                     (is_hung ? "its handler " : "it ") + text_of(found.why) +
                     "; it is tried again in " + std::to_string((left + 59) / 60) + " min",
                 std::string("the active variant stays; ") + remedy_of(found.why)};
}

Result<void> CompileFailures::add(const CompileRequest &request, ErrorCode why) {
  if (why != ErrorCode::compile_timeout && why != ErrorCode::compile_memory)
    return {};
  const base::ContentKey hash = key_of(request);
  const std::int64_t now = now_();
  {
    const base::MutexLock lock(mutex_);
    Known &known = known_[hash];
    known = {known.count + 1, now, why};
  }
  QuarantineEntry entry =
      quarantine_entry(request.key, request.variant,
                       why == ErrorCode::compile_memory ? QuarantineReason::compile_memory
                                                        : QuarantineReason::compile_timeout);
  entry.key = base::to_text(hash);
  entry.first = entry.last = now;
  return files_.add(std::move(entry));
}

void CompileFailures::add_hung(const CompileRequest &request) {
  const base::MutexLock lock(mutex_);
  Known &known = hung_[{request.key.handler, request.passes}];
  known = {known.count + 1, now_(), ErrorCode::compile_timeout};
}

} // namespace sartor::core
