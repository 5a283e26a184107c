// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/quarantine/quarantine_key.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/build_stamp.h"
#include "core/request/invariant_memory.h"

namespace sartor::core {

namespace {

/// Text that no other process has for the same memory is left out, so a word that may be an address
/// is taken for one. User space has at most 48 bits, and nothing is mapped below 4 GiB on purpose.
bool may_be_address(std::uint64_t word) {
  return word >= std::uint64_t{1} << 32 && word < std::uint64_t{1} << 48;
}

/// The content of invariant memory without its addresses: the same in each process whose objects
/// have the same values and point to each other in the same way.
class MemoryContent {
public:
  explicit MemoryContent(Reached memory);

  /// A hash of all objects.
  [[nodiscard]] const std::string &hash() const { return hash_; }
  /// An address as a hash of the object that it points into, and the offset there. All addresses
  /// outside of the objects have the same text.
  [[nodiscard]] std::string place_of(std::uintptr_t address) const;

private:
  [[nodiscard]] const Extent *object_at(std::uintptr_t address) const;
  [[nodiscard]] std::string hash_of_object(const Extent &object) const;
  void replace_addresses(const Region &region, std::string &bytes, std::string &places) const;

  Reached memory_;
  std::vector<std::string> hashes_; ///< Of the objects, in their order.
  std::string hash_;
};

MemoryContent::MemoryContent(Reached memory) : memory_(std::move(memory)) {
  for (const Extent &object : memory_.objects)
    hashes_.push_back(hash_of_object(object));
  std::vector<std::string> sorted = hashes_; // their order is that of their addresses
  std::ranges::sort(sorted);
  std::string all;
  for (const std::string &each : sorted)
    all += each;
  hash_ = base::to_text(base::hash_of({all}));
}

/// Addresses may point to the end of an object.
const Extent *MemoryContent::object_at(std::uintptr_t address) const {
  const auto after = std::ranges::upper_bound(memory_.objects, address, {}, &Extent::address);
  if (after == memory_.objects.begin())
    return nullptr;
  const Extent &object = *std::prev(after);
  return address <= object.end ? &object : nullptr;
}

std::string MemoryContent::place_of(std::uintptr_t address) const {
  const Extent *object = object_at(address);
  if (!object)
    return "elsewhere";
  return hashes_[static_cast<std::size_t>(object - memory_.objects.data())] + "+" +
         std::to_string(address - object->address);
}

void MemoryContent::replace_addresses(const Region &region, std::string &bytes,
                                      std::string &places) const {
  constexpr std::size_t kWord = sizeof(std::uintptr_t);
  for (std::size_t at = (kWord - region.address % kWord) % kWord; at + kWord <= bytes.size();
       at += kWord) {
    std::uintptr_t word = 0;
    std::memcpy(&word, bytes.data() + at, kWord);
    const Extent *object = word == 0 ? nullptr : object_at(word);
    if (!object && !may_be_address(word))
      continue;
    std::memset(bytes.data() + at, 0, kWord);
    places += std::to_string(at) + ":";
    if (object)
      places += std::to_string(object->end - object->address) + "+" +
                std::to_string(word - object->address);
    places += " ";
  }
}

std::string MemoryContent::hash_of_object(const Extent &object) const {
  std::string all = std::to_string(object.end - object.address);
  for (auto region =
           std::ranges::lower_bound(memory_.regions, object.address, {}, &Region::address);
       region != memory_.regions.end() && region->address < object.end; ++region) {
    std::string bytes = region->bytes ? *region->bytes : std::to_string(region->unread);
    std::string places;
    if (region->bytes)
      replace_addresses(*region, bytes, places);
    all += " " + std::to_string(region->address - object.address) + " " +
           base::to_text(base::hash_of({bytes, places}));
  }
  return base::to_text(base::hash_of({all}));
}

/// The bound arguments and the memory that they lead to, without addresses of this process.
std::string content_of(const HandlerModule &module, const Context &context) {
  const Result<Reached> *memory = context.memory ? &context.memory->read() : nullptr;
  const MemoryContent content(memory && *memory ? **memory : Reached{});
  const std::set<unsigned> addresses = address_arguments(module, context);
  std::string all = content.hash();
  for (const auto &[index, argument] : context.arguments)
    all += " " + std::to_string(index) + "=" +
           (addresses.contains(index)
                ? content.place_of(static_cast<std::uintptr_t>(argument.value().bits()))
                : argument.text());
  return all;
}

} // namespace

QuarantineKey quarantine_key(const HandlerModule &module, const Context &context,
                             const Pipeline &pipeline, const Making &making) {
  QuarantineKey key{{},
                    {},
                    context.handler,
                    context.configuration.json(),
                    making.builds.empty() ? base::kBuildStamp : making.builds,
                    making.processor};
  if (const auto same = request_key(module, context, pipeline, making)) {
    key.hash = key.family = *same;
    return key;
  }
  key.family =
      base::hash_of({"quarantine 1", key.build, key.processor, module.identity, module.replaced,
                     context.handler, context.configuration.text(), pipeline.passes});
  key.hash = base::hash_of({base::to_text(key.family), content_of(module, context)});
  return key;
}

} // namespace sartor::core
