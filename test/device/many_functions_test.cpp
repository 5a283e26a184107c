// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// \file
/// The processor time of variants of large modules, where invariant memory that the compiler has
/// not seen yet may point to any function.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include <gtest/gtest.h>

#include "core/compiler/compiler.h"
#include "core/compiler/find_compiler.h"
#include "core/compiler/no_deadline.h"
#include "core/request/invariant_memory.h"
#include "paths.h"

namespace {

using namespace sartor;

/// An object whose first word points to a function.
class UnreadObject final : public core::InvariantMemory {
public:
  static constexpr std::uintptr_t kAddress = 0x10000000;

  explicit UnreadObject(std::uintptr_t function) : words_{function, 0, 3} {
    auto &reached = reached_.emplace();
    core::Region &region = reached.regions.emplace_back();
    region.address = kAddress;
    region.unread = sizeof words_;
    reached.objects.push_back({kAddress, region.end()});
  }

  [[nodiscard]] std::uint64_t number() const override { return 0; }
  const Result<core::Reached> &read() override { return reached_; }
  [[nodiscard]] bool is_read() const override { return true; }
  [[nodiscard]] const std::string &name() const override { return name_; }
  std::optional<std::string> fetch(std::uintptr_t address, std::size_t size) override {
    std::string bytes(size, '\0');
    std::memcpy(bytes.data(), reinterpret_cast<const char *>(words_.data()) + (address - kAddress),
                size);
    return bytes;
  }
  std::optional<std::uint64_t> call(std::span<const std::uint64_t>,
                                    const core::NativeCall &) override {
    return std::nullopt;
  }

private:
  std::array<std::uint64_t, 3> words_;
  Result<core::Reached> reached_;
  std::string name_;
};

double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

/// Returns the seconds to load a module of that many functions, and to make a variant.
double seconds_for(std::uintptr_t count) {
  constexpr std::uintptr_t first = 0x20000000;
  const std::string file = paths::many_functions() + std::to_string(count) + ".bc";
  std::ifstream stream(file, std::ios::binary);
  const std::string content(std::istreambuf_iterator<char>(stream), {});
  const double begin = processor_seconds();
  auto loaded = (*core::find_compiler())->load_file(file, content);
  if (!loaded)
    throw std::runtime_error(loaded.error().text());
  for (std::uintptr_t i = 0; i < count; ++i)
    loaded->symbols.emplace("f" + std::to_string(i),
                            reinterpret_cast<void *>(first + 16 * i)); // NOLINT(performance-*)
  const auto module = std::make_shared<const core::HandlerModule>(std::move(*loaded));
  const auto maker = (*core::find_compiler())->make_maker(module);
  core::Context context;
  context.handler = "handle";
  context.arguments.emplace(0, Value(static_cast<std::int64_t>(UnreadObject::kAddress)));
  context.memory = std::make_shared<UnreadObject>(first + 16 * (count - 3));
  const auto draft =
      maker->draft(context, "handle", {core::Tier::full, {}, false, false}, core::NoDeadline());
  if (!draft)
    throw std::runtime_error(draft.error().text());
  const auto image = (*draft)->make(core::NoDeadline());
  if (!image)
    throw std::runtime_error(image.error().text());
  EXPECT_EQ((*draft)->invariants.size(), 1U);
  EXPECT_LT(image->code.size(), 4096U);
  return processor_seconds() - begin;
}

TEST(ManyFunctions, TakeTimeInProportion) {
  double few = seconds_for(400);
  double many = seconds_for(1600);
  // Other work of the machine affects some of the measurements.
  for (int i = 0; i < 12 && (i < 2 || many >= 8 * few); ++i) {
    few = std::min(few, seconds_for(400));
    many = std::min(many, seconds_for(1600));
  }
  EXPECT_LT(many, 8 * few) << few << " s for 400";
}

} // namespace
