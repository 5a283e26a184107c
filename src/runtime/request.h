// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_RUNTIME_REQUEST_H
#define SARTOR_RUNTIME_REQUEST_H

#include <future>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/impl.h"

namespace sartor {

/// A configuration on its way into force: one part for each handler that it concerns. Lives until
/// its last job is done.
struct Runtime::Impl::Request : std::enable_shared_from_this<Request> {
  struct Part {
    RuntimeEntry *entry;
    core::Context context;
    std::string key;       ///< Of the full variant in the code cache, without the memory's name.
    unsigned renewals = 0; ///< How often facts have broken while it was made.
    bool generic = false;  ///< Nothing to compile: the generic code.
    bool full_submitted = false;
    VariantOrigin origin = VariantOrigin::native;
    runtime::VariantRef quick;
    runtime::VariantRef full;
    /// What was in force before `quick` was.
    std::optional<runtime::VariantRef> before;
    std::chrono::nanoseconds compile_time{};
    /// `entry`, if it is a binding's: the request has a share until it has ended.
    detail::BoundEntry *bound = nullptr;
  };

  Request(Impl &owner, std::uint64_t number, Purpose why);
  /// Without the lock. Who waits is told std::bad_alloc if memory has run out in the middle of it.
  ~Request();
  Request(const Request &) = delete;
  Request &operator=(const Request &) = delete;

  /// `entry` lives until the request has ended.
  void add(RuntimeEntry &entry, core::Context context) SARTOR_REQUIRES(impl.mutex);
  void add_bound(detail::BoundEntry &entry, core::Context context) SARTOR_REQUIRES(impl.mutex);
  /// Puts first variants in force at once where there are templates for them. Lets the lock go
  /// meanwhile.
  void fill_templates() SARTOR_REQUIRES(impl.mutex);
  /// Answers at once what the cache can answer, and submits jobs for the rest.
  void begin() SARTOR_REQUIRES(impl.mutex);
  /// Ends the request with an error, counts it and writes it to the event log.
  void fail(Failure failure, const core::Context &context) SARTOR_REQUIRES(impl.mutex);

  Impl &impl;
  std::uint64_t id;
  Purpose purpose;
  std::vector<Part> parts;
  std::promise<Infos> promise;
  bool ended = false;

private:
  /// Fails the request if there is nobody to do it.
  void submit(std::size_t part, core::Tier tier) SARTOR_REQUIRES(impl.mutex);
  void submit_full(std::size_t part) SARTOR_REQUIRES(impl.mutex);
  /// Whether a stopgap is wanted until there is the full variant.
  [[nodiscard]] bool takes_quick(const Part &part) const SARTOR_REQUIRES(impl.mutex);
  bool still_wanted(std::size_t part, core::Tier tier) SARTOR_REQUIRES(impl.mutex);
  /// Looks for the full variant in the code cache. Returns whether it is there.
  bool find(Part &part) SARTOR_REQUIRES(impl.mutex);
  void take(std::size_t part, core::Tier tier, runtime::Job::Outcome outcome,
            std::chrono::nanoseconds time) SARTOR_REQUIRES(impl.mutex);
  void advance() SARTOR_REQUIRES(impl.mutex);
  void end() SARTOR_REQUIRES(impl.mutex);
  /// Fails the request if a promise that its code leans on has been taken back meanwhile; begins
  /// anew, without it, what leans on a fact that has broken.
  bool promises_hold() SARTOR_REQUIRES(impl.mutex);
  /// False if there are others than facts that do not hold, or it was so too often.
  bool make_again(std::size_t part, std::span<const std::uint64_t> promises)
      SARTOR_REQUIRES(impl.mutex);
  void put_in_force(bool quick) SARTOR_REQUIRES(impl.mutex);
  void put_in_force(Part &part, const runtime::VariantRef &chosen) SARTOR_REQUIRES(impl.mutex);
  /// Takes back what was put in force before the full tier failed.
  void take_back() SARTOR_REQUIRES(impl.mutex);
  [[nodiscard]] Infos infos() const;
};

/// The name under which perf and gdb show a variant: `matmul{B=16,N=256}`, and `match(_,7){}` where
/// an argument is bound.
std::string variant_name(const core::Context &context);

/// The key of a full variant in the code cache, but for invariant memory: two contexts with the
/// same key make the same code from the same memory.
std::string cache_key(const core::Context &context, const Pipeline &pipeline);

/// The whole key; nothing while the memory has not been read, or if it cannot be.
std::optional<std::string> with_memory(std::string key, const core::Context &context);

} // namespace sartor

#endif
