// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/space/stored_module.cpp" // NOLINT(bugprone-suspicious-include): the same
#include "fuzz/layout_writer.h"

namespace sartor::remote {

Layout layout_of_module(std::string_view packed) {
  const auto module = core::unpack_module(packed);
  Layout layout = module ? bytes::layout_of_thing(*module) : Layout();
  for (Field &field : layout.fields)
    field.at += core::kHeaderBytes;
  for (Element &element : layout.elements)
    element = {element.count_at + core::kHeaderBytes, element.begin + core::kHeaderBytes,
               element.end + core::kHeaderBytes};
  return layout;
}

void correct_checksum(Said &said) {
  std::string &packed = said.body;
  if ((said.kind != Kind::module && said.kind != Kind::give_module) ||
      !packed.starts_with(core::kMagic) || packed.size() < core::kHeaderBytes)
    return;
  const std::uint64_t sum = core::checksum_of(std::string_view(packed).substr(core::kHeaderBytes));
  std::memcpy(packed.data() + core::kMagic.size(), &sum, sizeof sum);
}

} // namespace sartor::remote
