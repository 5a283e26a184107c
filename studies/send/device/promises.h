// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEND_DEVICE_PROMISES_H
#define SEND_DEVICE_PROMISES_H

#include <cstddef>
#include <stdexcept>
#include <utility>
#include <vector>

#include <sartor/device.h>

namespace sartor::send {

/// Memory of a device's that does not change until it is said to. Devices have no guards at the
/// writers, so whoever is about to write says so: within change().
class Promises {
public:
  explicit Promises(sartor_device *device) : device_(device) {}
  ~Promises() { take_back(); }
  Promises(const Promises &) = delete;
  Promises &operator=(const Promises &) = delete;

  /// From the first of these members to the end of the last, which lie next to each other.
  template <class First, class Last> void add(const First &first, const Last &last) {
    const auto *begin = reinterpret_cast<const char *>(&first);
    const auto *end = reinterpret_cast<const char *>(&last + 1);
    parts_.push_back({begin, static_cast<std::size_t>(end - begin), 0});
    give(parts_.back());
  }
  template <class Member> void add(const Member &member) { add(member, member); }

  /// What `how` does, it may do to what is promised here.
  template <class How> auto change(How how) {
    take_back();
    auto result = how();
    for (Part &part : parts_)
      give(part);
    return result;
  }

private:
  struct Part {
    const void *memory;
    std::size_t bytes;
    unsigned promise;
  };

  void give(Part &part) {
    if (device_ != nullptr &&
        sartor_device_promise(device_, part.memory, part.bytes, &part.promise) != SARTOR_DEVICE_OK)
      throw std::runtime_error("memory cannot be promised");
  }
  void take_back() {
    for (const Part &part : parts_)
      if (device_ != nullptr)
        sartor_device_break(device_, part.promise);
  }

  sartor_device *device_; ///< Null: nothing is promised to anybody.
  std::vector<Part> parts_;
};

} // namespace sartor::send

#endif
