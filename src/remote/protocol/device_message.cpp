// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/protocol/device_message.h"

#include <utility>

#include "base/bytes.h"
#include "core/compiler/device_protocol.h"
#include "core/image/fold_report_bytes.h"
#include "remote/protocol/message.h"

namespace sartor {

static_assert(remote::kDeviceProtocol == SARTOR_DEVICE_PROTOCOL);
static_assert(std::to_underlying(remote::Kind::use_module) == SARTOR_FRAME_USE_MODULE);
static_assert(std::to_underlying(remote::Kind::called) == SARTOR_FRAME_CALLED);
static_assert(std::to_underlying(remote::Kind::welcome) == SARTOR_FRAME_WELCOME);
static_assert(std::to_underlying(remote::Kind::done) == SARTOR_FRAME_DONE);
static_assert(std::to_underlying(remote::Kind::failed) == SARTOR_FRAME_FAILED);
static_assert(std::to_underlying(remote::Kind::call) == SARTOR_FRAME_CALL);
static_assert(std::to_underlying(remote::Kind::device_hello) == SARTOR_FRAME_HELLO);
static_assert(std::to_underlying(remote::Kind::customize) == SARTOR_FRAME_CUSTOMIZE);
static_assert(std::to_underlying(remote::Kind::customized) == SARTOR_FRAME_CUSTOMIZED);
static_assert(std::to_underlying(remote::Kind::page) == SARTOR_FRAME_PAGE);
static_assert(std::to_underlying(remote::Kind::paged) == SARTOR_FRAME_PAGED);
static_assert(std::to_underlying(remote::Kind::open) == SARTOR_FRAME_OPEN);
static_assert(std::to_underlying(remote::Kind::opened) == SARTOR_FRAME_OPENED);
static_assert(std::to_underlying(remote::Kind::proof) == SARTOR_FRAME_PROOF);

} // namespace sartor

namespace sartor::bytes {

template <class Io, Of<remote::DeviceHello> T> void fields_of(Io &io, T &hello) {
  io(hello.protocol);
  if (hello.protocol != remote::kDeviceProtocol)
    return; // the rest has the format of another protocol
  io(hello.target);
}

template <class Io, Of<remote::Customization::Setting> T> void fields_of(Io &io, T &setting) {
  io(setting.label, setting.value, setting.guarded);
}

template <class Io, Of<remote::Customization::Region> T> void fields_of(Io &io, T &region) {
  io(region.invariant, region.address, region.size, region.bytes);
  io.require(region.address + region.size >= region.address &&
             (region.bytes.empty() || region.bytes.size() == region.size));
}

template <class Io, Of<remote::Customization> T> void fields_of(Io &io, T &wanted) {
  io(wanted.handler, wanted.settings, wanted.arguments, wanted.is_small, wanted.regions,
     wanted.symbols);
  // Look-ups in the regions rely on their order.
  for (std::size_t i = 1; i < wanted.regions.size(); ++i)
    io.require(wanted.regions[i - 1].address + wanted.regions[i - 1].size <=
               wanted.regions[i].address);
}

template <class Io, Of<remote::Customized> T> void fields_of(Io &io, T &made) {
  io(made.invariants, made.remarks, made.image);
}

template <class Io, Of<remote::Page> T> void fields_of(Io &io, T &page) {
  io(page.address, page.size);
}

} // namespace sartor::bytes

namespace sartor::remote {

#define SARTOR_MESSAGE(T)                                                                          \
  template <> std::string to_bytes(const T &message) { return bytes::pack(message); }              \
  template <> std::optional<T> from_bytes(std::string_view bytes) {                                \
    return bytes::unpack<T>(bytes);                                                                \
  }
SARTOR_MESSAGE(DeviceHello)
SARTOR_MESSAGE(Customization)
SARTOR_MESSAGE(Customized)
SARTOR_MESSAGE(Page)
#undef SARTOR_MESSAGE

} // namespace sartor::remote
