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

/// A request to make and activate a configuration: one part for each handler that it concerns.
/// Lives until its last job is done.
struct Runtime::Impl::Request : std::enable_shared_from_this<Request> {
  struct Part {
    RuntimeEntry *entry;
    core::Context context;
    std::string key; ///< The key of the full variant in the code cache, without the memory's name.
    unsigned renewals = 0; ///< How often quasi-invariants were invalidated while it was made.
    bool generic = false;  ///< Nothing to compile: the generic code.
    bool full_submitted = false;
    VariantOrigin origin = VariantOrigin::native;
    runtime::VariantRef quick;
    runtime::VariantRef full;
    struct Before {
      runtime::VariantRef variant;
      std::uint64_t request;
    };
    /// The variants that were active before `quick`.
    std::optional<Before> before;
    std::chrono::nanoseconds compile_time{};
    /// `entry`, if it is a binding's: the request has a share until it has ended.
    detail::BoundEntry *bound = nullptr;
  };

  Request(Impl &owner, std::uint64_t number, Purpose why);
  /// Must be called without the lock. The future gets std::bad_alloc if memory was exhausted during
  /// the request.
  ~Request();
  Request(const Request &) = delete;
  Request &operator=(const Request &) = delete;

  /// `entry` lives until the request has ended.
  void add(RuntimeEntry &entry, core::Context context) SARTOR_REQUIRES(impl.mutex);
  void add_bound(detail::BoundEntry &entry, core::Context context) SARTOR_REQUIRES(impl.mutex);
  /// Activates first variants at once for which there are templates. Releases the lock meanwhile.
  void fill_templates() SARTOR_REQUIRES(impl.mutex);
  /// Answers at once the parts that the cache has, and submits jobs for the rest.
  void begin() SARTOR_REQUIRES(impl.mutex);
  /// Ends the request with an error, counts it and writes it to the event log.
  void fail(Failure failure, const core::Context &context) SARTOR_REQUIRES(impl.mutex);

  Impl &impl;
  std::uint64_t id;
  Purpose purpose;
  std::uint64_t wanted_by; ///< See RuntimeEntry; `id`, unless it renews what another has requested.
  std::vector<Part> parts;
  std::promise<Infos> promise;
  bool ended = false;

private:
  /// Fails the request if no thread can run the job.
  void submit(std::size_t part, core::Tier tier) SARTOR_REQUIRES(impl.mutex);
  void submit_full(std::size_t part) SARTOR_REQUIRES(impl.mutex);
  /// On a worker, while the variant is compiled: the requesting thread has less to do.
  void prepare_comparison(std::size_t part) SARTOR_REQUIRES(impl.mutex);
  /// True if a quick variant is wanted until there is the full one.
  [[nodiscard]] bool takes_quick(const Part &part) const SARTOR_REQUIRES(impl.mutex);
  /// Fails the request if a variant with this key has differed from the native code.
  bool fails_by_quarantine(const Part &part) SARTOR_REQUIRES(impl.mutex);
  bool still_wanted(std::size_t part, core::Tier tier) SARTOR_REQUIRES(impl.mutex);
  /// Searches the code cache for the full variant. Returns whether it is there.
  bool find(Part &part) SARTOR_REQUIRES(impl.mutex);
  void take(std::size_t part, core::Tier tier, runtime::Job::Outcome outcome,
            std::chrono::nanoseconds time, core::QuarantineKey key_of_code)
      SARTOR_REQUIRES(impl.mutex);
  void advance() SARTOR_REQUIRES(impl.mutex);
  void end() SARTOR_REQUIRES(impl.mutex);
  /// Fails the request if an invariant that its code depends on has been revoked meanwhile; makes
  /// code again that depends on an invalidated quasi-invariant, without it.
  bool invariants_valid() SARTOR_REQUIRES(impl.mutex);
  /// Returns false if an invariant other than a quasi-invariant is not valid, or this has happened
  /// too often.
  bool make_again(std::size_t part, std::span<const std::uint64_t> invariants)
      SARTOR_REQUIRES(impl.mutex);
  void activate(bool quick) SARTOR_REQUIRES(impl.mutex);
  void activate(Part &part, const runtime::VariantRef &chosen) SARTOR_REQUIRES(impl.mutex);
  /// Reports that an entry's variant has changed, and begins to compare it.
  void note_switch(Part &part, const runtime::VariantRef &chosen) SARTOR_REQUIRES(impl.mutex);
  /// Retires the temporary variants.
  static void drop_temporary(Part &part);
  /// Deactivates the quick variants that were activated before the full tier failed.
  void revoke() SARTOR_REQUIRES(impl.mutex);
  [[nodiscard]] Infos infos() const;
};

/// Returns the name under which perf and gdb show a variant: `matmul{B=16,N=256}`, and
/// `match(_,7){}` if an argument is bound.
std::string variant_name(const core::Context &context);

/// Returns the key of a full variant in the code cache, without invariant memory: two contexts with
/// the same key make the same code from the same memory.
std::string cache_key(const core::Context &context, const Pipeline &pipeline);

/// Returns the complete key; nullopt while the memory has not been read, or if it cannot be.
std::optional<std::string> with_memory(std::string key, const core::Context &context);

} // namespace sartor

#endif
