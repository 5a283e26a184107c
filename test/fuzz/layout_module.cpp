// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/layout_writer.h"
#include "space/stored_module.cpp" // NOLINT(bugprone-suspicious-include): the same

namespace sartor::remote {

Layout layout_of_module(std::string_view packed) {
  const auto module = point::unpack(packed);
  Layout layout = module ? bytes::layout_of_thing(*module) : Layout();
  for (Field &field : layout.fields)
    field.at += point::kHeaderBytes;
  for (Element &element : layout.elements)
    element = {element.count_at + point::kHeaderBytes, element.begin + point::kHeaderBytes,
               element.end + point::kHeaderBytes};
  return layout;
}

void correct_checksum(Said &said) {
  std::string &packed = said.body;
  if ((said.kind != Kind::module && said.kind != Kind::give_module) ||
      !packed.starts_with(point::kMagic) || packed.size() < point::kHeaderBytes)
    return;
  const std::uint64_t sum =
      point::checksum_of(std::string_view(packed).substr(point::kHeaderBytes));
  std::memcpy(packed.data() + point::kMagic.size(), &sum, sizeof sum);
}

} // namespace sartor::remote
