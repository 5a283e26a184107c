// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/message_input.h"

#include <array>
#include <cstdlib>

#include "core/compiler/stored_stub.h"
#include "core/space/stored_module.h"
#include "remote/protocol/device_message.h"
#include "remote/protocol/message.h"
#include "remote/protocol/recorded_request.h"

namespace sartor::remote {

namespace {

template <class T> bool look(std::string_view bytes) {
  const auto message = from_bytes<T>(bytes);
  // The greeting of another protocol version is read only in part.
  if (message && to_bytes(*message) != bytes && !std::is_same_v<T, Hello> &&
      !std::is_same_v<T, DeviceHello>)
    std::abort();
  return message.has_value();
}

bool look_at_module(std::string_view bytes) {
  const auto module = core::unpack_module(bytes);
  if (module && core::pack_module(*module) != bytes)
    std::abort();
  return module.has_value();
}

bool look_at_request(std::string_view bytes) {
  const auto request = unpack_request("a request", bytes);
  if (request && pack(*request) != bytes)
    std::abort();
  return request.has_value();
}

bool look_at_stub(std::string_view bytes) { return core::unpack_stub(bytes).has_value(); }

constexpr std::array kLooks{
    &look<Hello>,       &look<core::Toolchain>, &look<Modules>,
    &look<ModuleFile>,  &look<Pipeline>,        &look<DraftOrder>,
    &look<Drafted>,     &look<CallOrder>,       &look<std::optional<std::uint64_t>>,
    &look<EntryOrder>,  &look<RotationOrder>,   &look<Failure>,
    &look<DeviceHello>, &look<Customization>,   &look<Customized>,
    &look<Page>,        &look_at_module,        &look_at_request,
    &look<StubOrder>,   &look_at_stub};

DraftOrder some_order() {
  DraftOrder order;
  order.symbol = "f{a=1}";
  order.handler = "f";
  order.configuration = {{"a", 1}, {"b", any_of({2, 3})}, {"c", 0.5}, {"s", "text"}};
  order.arguments.emplace(0, BoundArgument(7));
  order.memory = DraftOrder::Memory{{{0, 1000, "bytes"}}, {{900, 1005}}, {{"f", 7}}};
  order.answers["p"] = {{{{1, 2}, 3}}, 4, {0}};
  order.generated["c"] = {"define void @g() {\n  ret void\n}\n", "g", {0}};
  order.instrumented["q"] = 64;
  order.profile = DraftCounters{3, -128};
  order.purpose = {core::Tier::quick, {"default<O1>", {"/a.so"}}, true};
  return order;
}

template <class T> std::string numbered(char number, const T &message) {
  return number + to_bytes(message);
}

RecordedRequest some_request() {
  const core::NativeCall call{0x1000, {}, {core::NativeCall::Type::pointer}, {8}};
  return {"identity", some_order(), {{12, "a fact"}}, {{call, 5}, {call, std::nullopt}}};
}

FoldReport some_folded() {
  return {{{0, "a fact", 3, true}}, {{"f", 7, 2, "why"}}, Followed::in_part, 1, 2};
}

} // namespace

std::vector<std::string> some_messages() {
  using core::NativeCall;
  const NativeCall call{0x1000, NativeCall::Type::f64, {NativeCall::Type::pointer}, {8}};
  return {numbered(0, Hello{kProtocol, "build", "processor", {"x86-64-v3"}}),
          numbered(1, core::Toolchain{"0", "22", "build", "x86_64", "cpu", "+avx"}),
          numbered(2, Modules{{1, "a.cpp", "BC", {{"f", 1, 1}}}}),
          numbered(3, ModuleFile{"a.bc", "BC"}),
          numbered(4, Pipeline{"default<O2>", {}}),
          numbered(5, some_order()),
          numbered(6, Drafted{base::ContentKey{},
                              {0},
                              {0x7000},
                              {{RemarkCode::point_generic, "a remark"}},
                              some_folded(),
                              "image"}),
          numbered(7, CallOrder{{0}, call}),
          numbered(8, std::optional<std::uint64_t>(5)),
          numbered(9, EntryOrder{"f", {}, true}),
          numbered(10, RotationOrder{"f", -8, 1, 2, 3, 4, 5}),
          numbered(11, Failure{ErrorCode::compile_failed, "a", "b", "c"}),
          numbered(12, DeviceHello{kDeviceProtocol, "aarch64"}),
          numbered(13, Customization{"f",
                                     {{"a", 1, true}, {"b", 0.5, false}, {"c", "g", true}},
                                     {{0, 4096}, {2, 0.25}},
                                     true,
                                     {{0, 4096, 5, "bytes"}, {1, 8192, 64, ""}},
                                     {{"f", 7}}}),
          numbered(14, Customized{{0, 3}, {{RemarkCode::point_generic, "a remark"}}, "image"}),
          numbered(15, Page{4096, 1024}),
          char{16} + core::pack_module({}),
          char{17} + pack(some_request()),
          numbered(18, StubOrder{"f"}),
          char{19} + core::pack_stub({{core::Comparison::none, "it is atomic", "a.c", 7}, {}})};
}

bool look_at_message(std::string_view bytes) {
  if (bytes.empty() || static_cast<unsigned char>(bytes.front()) >= kLooks.size())
    return false;
  return kLooks.at(static_cast<unsigned char>(bytes.front()))(bytes.substr(1));
}

} // namespace sartor::remote
