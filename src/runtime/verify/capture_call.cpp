// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/verify/capture_call.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <map>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <link.h>

#include "base/build_stamp.h"
#include "base/loaded_object.h"
#include "runtime/verify/isolated_call.h"

namespace sartor::runtime {

namespace {

/// The content of parts of the memory at one time.
class MemoryPicture {
public:
  /// Adds a part. It takes precedence over earlier ones where it overlaps them.
  void put(std::uint64_t address, std::string_view bytes);
  /// The content of the known parts, by address, disjoint.
  [[nodiscard]] std::vector<core::MemoryPiece> pieces() const;
  /// Returns the bytes of a later content that are different from the picture's; bytes that are not
  /// in the picture are ignored.
  [[nodiscard]] std::vector<core::MemoryPiece> changes(std::uint64_t address,
                                                       std::string_view now) const;

private:
  std::map<std::uint64_t, std::string> parts_; ///< By address, disjoint.
};

void MemoryPicture::put(std::uint64_t address, std::string_view bytes) {
  if (bytes.empty())
    return;
  const std::uint64_t end = address + bytes.size();
  auto at = parts_.upper_bound(address);
  if (at != parts_.begin())
    --at;
  while (at != parts_.end() && at->first < end) {
    const std::uint64_t begin = at->first;
    const std::uint64_t old_end = begin + at->second.size();
    if (old_end <= address) {
      ++at;
      continue;
    }
    const std::string old = std::move(at->second);
    at = parts_.erase(at);
    if (begin < address)
      parts_.emplace(begin, old.substr(0, address - begin));
    if (old_end > end)
      at = parts_.emplace(end, old.substr(end - begin)).first;
  }
  parts_.emplace(address, bytes);
}

std::vector<core::MemoryPiece> MemoryPicture::pieces() const {
  std::vector<core::MemoryPiece> pieces;
  for (const auto &[address, bytes] : parts_)
    pieces.push_back({address, bytes});
  return pieces;
}

std::vector<core::MemoryPiece> MemoryPicture::changes(std::uint64_t address,
                                                      std::string_view now) const {
  std::vector<core::MemoryPiece> changes;
  auto at = parts_.upper_bound(address);
  if (at != parts_.begin())
    --at;
  for (; at != parts_.end() && at->first < address + now.size(); ++at) {
    const std::uint64_t end = std::min(at->first + at->second.size(), address + now.size());
    for (std::uint64_t each = std::max(at->first, address); each < end; ++each) {
      const char byte = now[each - address];
      if (byte == at->second[each - at->first])
        continue;
      if (!changes.empty() && changes.back().address + changes.back().bytes.size() == each)
        changes.back().bytes += byte;
      else
        changes.push_back({each, std::string(1, byte)});
    }
  }
  return changes;
}

using namespace std::chrono_literals;

// A call that accesses more memory is not captured.
constexpr std::size_t kMostBytes = std::size_t{24} << 20U;
// Accesses are slow the first time, as each ends in a signal handler.
constexpr IsolationLimits kOfNative{.time = 1s, .bytes = kMostBytes};
constexpr IsolationLimits kOfVariant{.bytes = kMostBytes};

template <class Byte> std::string_view text(const Byte *bytes, std::size_t count) {
  return {reinterpret_cast<const char *>(bytes), count};
}

core::Difference describe(const core::CheckedCall &call, core::Comparison how,
                          const Variant &variant, std::string_view frame) {
  core::Difference difference;
  difference.handler = variant.handler;
  difference.variant = variant.name;
  difference.configuration = variant.configuration.text();
  difference.compared = how;
  difference.frame = frame;
  difference.result_offset = call.result_offset;
  difference.result_bytes = call.result_bytes;
  if (call.result_mask)
    difference.result_mask = text(call.result_mask, call.result_bytes);
  difference.inexact_floats = call.inexact_floats;
  difference.regions.assign(call.forms, call.forms + call.regions);
  return difference;
}

std::uintptr_t as_number(const void *address) { return reinterpret_cast<std::uintptr_t>(address); }

/// Adds the memory before a call that either code accesses, except `without`.
Result<void> add_touched(MemoryPicture &picture, const core::CheckedCall &call, void *native,
                         void *variant, std::span<const std::byte> without) {
  const std::pair<void *, const IsolationLimits *> codes[] = {{native, &kOfNative},
                                                              {variant, &kOfVariant}};
  for (const auto &[code, limits] : codes) {
    const auto touched = touched_memory(call, code, *limits);
    if (!touched)
      return std::unexpected(touched.error());
    for (const MemoryPiece &piece : *touched)
      if (piece.address - as_number(without.data()) >= without.size())
        picture.put(piece.address, text(piece.bytes.data(), piece.bytes.size()));
  }
  return {};
}

Result<core::Difference::Side> side_of(const core::CheckedCall &call, void *code,
                                       const IsolationLimits &limits, const MemoryPicture &before) {
  using Kind = core::CallOutcome::Kind;
  const IsolatedOutcome made = run_isolated(call, code, limits);
  core::Difference::Side side;
  switch (made.end) {
  case IsolatedEnd::returned:
    side.result = text(made.frame.data() + call.result_offset, call.result_bytes);
    break;
  case IsolatedEnd::threw:
    side.outcome.kind = Kind::threw;
    break;
  case IsolatedEnd::crashed:
    side.outcome = {Kind::crashed, made.signal};
    break;
  case IsolatedEnd::hung:
    side.outcome.kind = Kind::hung;
    break;
  case IsolatedEnd::refused:
  case IsolatedEnd::unknown:
    return std::unexpected(Failure{ErrorCode::not_permitted, "the effects of a call",
                                   "cannot be recorded: it " + made.reason,
                                   "look at the event of the difference"});
  }
  for (const MemoryPiece &page : made.written)
    for (core::MemoryPiece &change :
         before.changes(page.address, text(page.bytes.data(), page.bytes.size())))
      side.written.push_back(std::move(change));
  return side;
}

namespace fs = std::filesystem;

/// The folder of differences in a state directory.
constexpr const char *kDifferencesFolder = "differences";

/// The path of the program or library that contains an address.
std::string program_of(const void *address) {
  const link_map *map = base::loaded_object(address);
  std::error_code error;
  if (map && map->l_name && *map->l_name) // the program itself has no name
    return fs::absolute(map->l_name, error).string();
  return fs::read_symlink("/proc/self/exe", error).string();
}

/// The process's executable memory.
class ExecutableMemory {
public:
  ExecutableMemory() {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
      char *rest = nullptr; // begin-end rwxp ...
      const std::uintptr_t begin = std::strtoull(line.c_str(), &rest, 16);
      if (*rest != '-')
        continue;
      const std::uintptr_t end = std::strtoull(rest + 1, &rest, 16);
      if (std::string_view(rest).substr(0, 4).ends_with('x'))
        ranges_.emplace_back(begin, end);
    }
  }
  [[nodiscard]] bool has(std::uintptr_t address) const {
    return std::ranges::any_of(ranges_, [&](const auto &range) {
      return range.first <= address && address < range.second;
    });
  }

private:
  std::vector<std::pair<std::uintptr_t, std::uintptr_t>> ranges_;
};

/// The addresses of variables and constants. Functions cannot be called in another process.
std::map<std::string, std::uint64_t> addresses_of(const core::HandlerModule &module) {
  const ExecutableMemory executable;
  std::map<std::string, std::uint64_t> addresses;
  for (const auto &[name, address] : module.symbols)
    if (const auto number = reinterpret_cast<std::uintptr_t>(address);
        number != 0 && !executable.has(number))
      addresses.emplace(name, number);
  return addresses;
}

} // namespace

Failure out_of_memory(const std::string &variant) {
  return {ErrorCode::not_permitted, "a difference of " + variant,
          "cannot be recorded: memory is exhausted", "allow the process more memory"};
}

CapturedCall capture_call(const core::CheckedCall &call, core::Comparison how, void *native,
                          const Variant &variant) {
  const auto *frame = static_cast<const std::byte *>(call.frame);
  CapturedCall captured{describe(call, how, variant, text(frame, call.frame_bytes)),
                        variant.code->request};
  void *const entry = variant.code->entry();
  MemoryPicture before;
  if (auto added = add_touched(before, call, native, entry, {}); !added) {
    captured.difference = std::unexpected(std::move(added.error()));
    return captured;
  }
  auto by_native = side_of(call, native, kOfNative, before);
  auto by_variant = side_of(call, entry, kOfVariant, before);
  if (!by_native || !by_variant) {
    captured.difference = std::unexpected((by_native ? by_variant : by_native).error());
    return captured;
  }
  captured.difference->memory = before.pieces();
  captured.difference->native = std::move(*by_native);
  captured.difference->changed = std::move(*by_variant);
  return captured;
}

CapturedCall capture_effects(const core::CheckedCall &call, core::Comparison how,
                             const ComparedCopies &copies, const Variant &variant) {
  core::Difference difference =
      describe(call, how, variant, text(copies.frame_before.data(), copies.frame_before.size()));
  MemoryPicture before;
  for (std::size_t i = 0; i < copies.regions.size(); ++i)
    before.put(as_number(copies.regions[i].begin),
               text(copies.before + copies.places[i], copies.regions[i].bytes));
  const auto side = [&](const std::byte *frame, const std::byte *after) {
    core::Difference::Side side;
    side.result = text(frame + call.result_offset, call.result_bytes);
    for (std::size_t i = 0; i < copies.regions.size(); ++i)
      for (core::MemoryPiece &change :
           before.changes(as_number(copies.regions[i].begin),
                          text(after + copies.places[i], copies.regions[i].bytes)))
        side.written.push_back(std::move(change));
    std::ranges::sort(side.written, {}, &core::MemoryPiece::address);
    return side;
  };
  difference.native = side(copies.frame_native, copies.native);
  difference.changed = side(copies.frame_variant, copies.variant);
  difference.memory = before.pieces();
  return {std::move(difference), variant.code->request};
}

void capture_memory(CapturedCall &captured, const core::CheckedCall &again, void *native,
                    const Variant &variant, const ComparedCopies &copies) {
  MemoryPicture picture;
  if (auto added = add_touched(picture, again, native, variant.code->entry(), copies.all); !added) {
    captured.difference = std::unexpected(std::move(added.error()));
    return;
  }
  for (const core::MemoryPiece &piece : captured.difference->memory)
    picture.put(piece.address, piece.bytes);
  captured.difference->memory = picture.pieces();
}

Result<fs::path> record_difference(const CapturedCall &captured, const core::HandlerModule &module,
                                   const fs::path &state) try {
  if (!captured.difference)
    return std::unexpected(captured.difference.error());
  core::Difference difference = *captured.difference;
  if (state.empty())
    return std::unexpected(Failure{ErrorCode::file_error, difference.variant,
                                   "has a difference, and there is no directory for it",
                                   "set a directory (Options::state_directory)"});
  if (!captured.request)
    return std::unexpected(Failure{ErrorCode::unreadable_memory, difference.variant,
                                   "was made from a template, whose request is not kept",
                                   "compare calls of the optimized variant"});
  auto request = captured.request->serialized(module);
  if (!request)
    return std::unexpected(std::move(request.error()));
  const auto handler = module.find(difference.handler);
  if (!handler)
    return std::unexpected(handler.error());
  difference.request = std::move(*request);
  difference.program = program_of(
      reinterpret_cast<const void *>(module.address_of((*handler)->native_name).value_or(0)));
  difference.time = std::time(nullptr);
  difference.sartor = base::kBuildStamp;
  difference.llvm = captured.request->llvm;
  difference.mutant = captured.request->mutant;
  difference.addresses = addresses_of(module);
  return core::write_difference(state / kDifferencesFolder, difference);
} catch (const std::bad_alloc &) {
  return std::unexpected(out_of_memory(captured.difference->variant));
}

} // namespace sartor::runtime
