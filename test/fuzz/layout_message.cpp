// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include <cstring>

#include "fuzz/layout_writer.h"
// NOLINTBEGIN(bugprone-suspicious-include): its static functions are used
#include "remote/protocol/device_message.cpp"
#include "remote/protocol/message.cpp"
// NOLINTEND(bugprone-suspicious-include)

namespace sartor::remote {

namespace {

template <class T> Layout layout_of(std::string_view body) {
  const auto message = from_bytes<T>(body);
  return message ? bytes::layout_of_thing(*message) : Layout();
}

Layout layout_of_fields(Kind kind, std::string_view body) {
  switch (kind) {
  case Kind::hello:
    return layout_of<Hello>(body);
  case Kind::load_embedded:
    return layout_of<Modules>(body);
  case Kind::load_file:
    return layout_of<ModuleFile>(body);
  case Kind::check_pipeline:
    return layout_of<Pipeline>(body);
  case Kind::draft:
    return layout_of<DraftOrder>(body);
  case Kind::entry_function:
    return layout_of<EntryOrder>(body);
  case Kind::rotation_stub:
    return layout_of<RotationOrder>(body);
  case Kind::checking_stub:
    return layout_of<StubOrder>(body);
  case Kind::called:
    return layout_of<std::optional<std::uint64_t>>(body);
  case Kind::welcome:
    return layout_of<core::Toolchain>(body);
  case Kind::give_module:
  case Kind::module:
    return layout_of_module(body);
  case Kind::drafted:
    return layout_of<Drafted>(body);
  case Kind::image:
    return layout_of_image(body);
  case Kind::failed:
    return layout_of<Failure>(body);
  case Kind::call:
    return layout_of<CallOrder>(body);
  case Kind::device_hello:
    return layout_of<DeviceHello>(body);
  case Kind::customize:
    return layout_of<Customization>(body);
  case Kind::customized:
    return layout_of<Customized>(body);
  case Kind::page:
    return layout_of<Page>(body);
  default:
    return {};
  }
}

} // namespace

Layout layout_of(Kind kind, std::string_view body) {
  Layout layout = layout_of_fields(kind, body);
  for (std::size_t i = 0, count = layout.fields.size(); i < count; ++i) {
    const Field field = layout.fields[i];
    if (field.what != Field::What::text)
      continue;
    const std::size_t begin = field.at + sizeof(std::uint64_t);
    for (Field inner : layout_of_image(body.substr(begin, field.size)).fields) {
      inner.at += begin;
      layout.fields.push_back(inner);
    }
  }
  return layout;
}

void relocate(Said &said, std::uint64_t memory, std::uint64_t function) {
  for (const Field &field : layout_of(said.kind, said.body).fields) {
    std::uint64_t number = 0;
    if (field.what != Field::What::number || field.size != sizeof number)
      continue;
    std::memcpy(&number, said.body.data() + field.at, sizeof number);
    if (number == kRecordedFunction)
      number = function;
    else if (number >= kRecordedMemory && number < kRecordedFunction) // also just beyond its end
      number = memory + (number - kRecordedMemory);
    std::memcpy(said.body.data() + field.at, &number, sizeof number);
  }
}

} // namespace sartor::remote
