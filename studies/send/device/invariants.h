// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEND_DEVICE_INVARIANTS_H
#define SEND_DEVICE_INVARIANTS_H

#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include <sartor/device/device.h>

namespace sartor::send {

/// Invariant memory of a device. Devices have no write guards: the program must announce each write
/// by making it within change().
class Invariants {
public:
  explicit Invariants(sartor_device *device) : device_(device) {}
  ~Invariants() { revoke(); }
  Invariants(const Invariants &) = delete;
  Invariants &operator=(const Invariants &) = delete;

  /// Adds the memory from the first of these members to the end of the last; they must be
  /// contiguous.
  template <class First, class Last> void add(const First &first, const Last &last) {
    const auto *begin = reinterpret_cast<const char *>(&first);
    const auto *end = reinterpret_cast<const char *>(&last + 1);
    parts_.push_back({begin, static_cast<std::size_t>(end - begin), 0});
    give(parts_.back());
  }
  template <class Member> void add(const Member &member) { add(member, member); }

  /// Calls `how`, which may write to the invariant memory.
  template <class How> auto change(How how) {
    revoke();
    auto result = how();
    for (Part &part : parts_)
      give(part);
    return result;
  }

private:
  struct Part {
    const void *memory;
    std::size_t bytes;
    unsigned invariant;
  };

  void give(Part &part) {
    if (device_ != nullptr && sartor_device_declare_invariant(device_, part.memory, part.bytes,
                                                              &part.invariant) != SARTOR_DEVICE_OK)
      throw std::runtime_error("memory cannot be promised");
  }
  void revoke() {
    for (const Part &part : parts_)
      if (device_ != nullptr)
        sartor_device_revoke(device_, part.invariant);
  }

  sartor_device *device_; ///< Null: no invariants are declared.
  std::vector<Part> parts_;
};

} // namespace sartor::send

#endif
