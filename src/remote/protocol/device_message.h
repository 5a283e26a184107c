// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a device and a server say to each other, besides what programs say
// (remote/protocol/message.h). The device's side is C (core/compiler/device_protocol.h). It stays
// as it is from one version of Sartor to the next: devices are not renewed when servers are.
#ifndef SARTOR_REMOTE_PROTOCOL_DEVICE_MESSAGE_H
#define SARTOR_REMOTE_PROTOCOL_DEVICE_MESSAGE_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <sartor/remark.hpp>
#include <sartor/value.hpp>

namespace sartor::remote {

/// To be raised when anything here, or what an image is as bytes, looks different or means
/// something else.
constexpr std::uint32_t kDeviceProtocol = 3;

struct DeviceHello {
  std::uint32_t protocol = kDeviceProtocol;
  std::string target; ///< See compiler::host_of().
};

/// What a device wants to have of one handler.
struct Customization {
  struct Setting {
    std::string label;
    Value value;
    bool guarded = true;
  };
  /// Memory that is promised not to change.
  struct Region {
    std::uint64_t promise = 0;
    std::uint64_t address = 0;
    std::uint64_t size = 0;
    std::string bytes; ///< All of them, or none: the server asks for what it wants to know.
  };

  std::string handler;
  std::vector<Setting> settings;
  std::map<std::uint32_t, Value> arguments; ///< By the parameter's index.
  bool is_small = false;
  std::vector<Region> regions;
  std::map<std::string, std::uint64_t> symbols; ///< Where there are regions.
};

struct Customized {
  std::vector<std::uint64_t> promises; ///< As the customization tells them.
  std::vector<Remark> remarks;
  std::string image; ///< core::pack_image()'s bytes.
};

/// Of promised memory: some bytes, which are the answer.
struct Page {
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};

} // namespace sartor::remote

#endif
