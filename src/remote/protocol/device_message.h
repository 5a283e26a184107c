// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The messages between a device and a server, in addition to those of programs
// (remote/protocol/message.h). The device's side is C (core/compiler/device_protocol.h). The
// protocol does not change between versions of Sartor: devices are not updated when servers are.
#ifndef SARTOR_REMOTE_PROTOCOL_DEVICE_MESSAGE_H
#define SARTOR_REMOTE_PROTOCOL_DEVICE_MESSAGE_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <sartor/remark.hpp>
#include <sartor/value.hpp>

namespace sartor::remote {

/// To be incremented when the format or meaning of anything here, or the format of an image,
/// changes.
constexpr std::uint32_t kDeviceProtocol = 3;

struct DeviceHello {
  std::uint32_t protocol = kDeviceProtocol;
  std::string target; ///< See compiler::host_of().
};

/// A device's request for one handler.
struct Customization {
  struct Setting {
    std::string label;
    Value value;
    bool guarded = true;
  };
  /// Invariant memory.
  struct Region {
    std::uint64_t invariant = 0;
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    std::string bytes; ///< All bytes, or none: then the server asks for those that it needs.
  };

  std::string handler;
  std::vector<Setting> settings;
  std::map<std::uint32_t, Value> arguments; ///< Keyed by the parameter's index.
  bool is_small = false;
  std::vector<Region> regions;
  std::map<std::string, std::uint64_t> symbols; ///< Given if there are regions.
};

struct Customized {
  std::vector<std::uint64_t> invariants; ///< Numbered as in the customization.
  std::vector<Remark> remarks;
  std::string image; ///< The bytes of core::pack_image().
};

/// A question for some bytes of invariant memory, which are the answer.
struct Page {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};

} // namespace sartor::remote

#endif
