// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/jit/recording.h"

#include <atomic>
#include <optional>
#include <span>
#include <system_error>
#include <utility>
#include <vector>

#include <unistd.h>

#include "base/hash.h"
#include "core/cache/cache_files.h"
#include "core/space/readable_name.h"
#include "remote/protocol/recorded_request.h"

namespace sartor::runtime {

namespace {

constexpr std::size_t kDigits = 16;

Failure cannot(const std::filesystem::path &where, std::string why) {
  return {ErrorCode::file_error, where.string(), "cannot take a request: " + std::move(why),
          "name a directory that this user can write to (Options::record_requests)"};
}

} // namespace

/// Records the results of calls.
class Recording::Memory final : public core::InvariantMemory {
public:
  explicit Memory(std::shared_ptr<core::InvariantMemory> of) : of_(std::move(of)) {}

  [[nodiscard]] std::uint64_t number() const override { return of_->number(); }
  const Result<core::Reached> &read() override { return of_->read(); }
  [[nodiscard]] bool is_read() const override { return of_->is_read(); }
  [[nodiscard]] const std::string &name() const override { return of_->name(); }
  std::optional<std::string> fetch(std::uintptr_t address, std::size_t size) override {
    return of_->fetch(address, size);
  }
  std::optional<std::uint64_t> call(std::span<const std::uint64_t> invariants,
                                    const core::NativeCall &call) override {
    const auto result = of_->call(invariants, call);
    calls_.push_back({call, result});
    return result;
  }

  [[nodiscard]] const std::shared_ptr<core::InvariantMemory> &of() const { return of_; }
  [[nodiscard]] const std::vector<remote::RecordedRequest::Call> &calls() const { return calls_; }

private:
  std::shared_ptr<core::InvariantMemory> of_;
  std::vector<remote::RecordedRequest::Call> calls_;
};

Recording::Recording(RecordAt where, const core::Context &context,
                     const core::HandlerModule &module)
    : where_(std::move(where)), module_(module), noted_(context) {
  if (context.memory)
    noted_.memory = memory_ = std::make_shared<Memory>(context.memory);
}

Recording::~Recording() = default;

KeptRequest Recording::keep(const std::string &symbol, const core::Purpose &purpose) const {
  KeptRequest request{.context = noted_,
                      .has_memory = memory_ != nullptr,
                      .memory = memory_ ? memory_->of() : nullptr,
                      .calls = {},
                      .symbol = symbol,
                      .purpose = purpose,
                      .llvm = {},
                      .mutant = {},
                      .quasi_invariant_name = where_.quasi_invariant_name};
  request.context.memory = nullptr;
  request.context.custom_kinds.clear();
  if (memory_)
    request.calls = memory_->calls();
  return request;
}

Result<void> Recording::write(const std::string &symbol, const core::Purpose &purpose) const {
  if (where_.directory.empty())
    return {};
  const auto packed = keep(symbol, purpose).serialized(module_);
  if (!packed)
    return std::unexpected(packed.error());
  const std::string &bytes = *packed;
  const std::string name = core::name_in_file(noted_.handler) + "-" +
                           base::to_text(base::hash_of({bytes})).substr(0, kDigits) + ".request";
  const auto directory = core::open_directory(where_.directory, /*make=*/true);
  if (!directory)
    return std::unexpected(cannot(where_.directory, directory.error().message));
  static std::atomic<unsigned> last = 0;
  const std::string temporary =
      "." + name + "." + std::to_string(getpid()) + "." + std::to_string(++last) + ".tmp";
  if (const auto written = core::write_file(*directory, name, temporary, bytes); !written)
    return std::unexpected(
        cannot(where_.directory / name, std::generic_category().message(written.error())));
  return {};
}

} // namespace sartor::runtime
