// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/image/pack.cpp" // NOLINT(bugprone-suspicious-include): its static functions are used
#include "fuzz/layout_writer.h"

namespace sartor::remote {

Layout layout_of_image(std::string_view packed) {
  const auto image = core::unpack_image(packed);
  Layout layout = image ? bytes::layout_of_thing(*image) : Layout();
  for (Field &field : layout.fields)
    field.at += core::kMagic.size();
  for (Element &element : layout.elements)
    element = {element.count_at + core::kMagic.size(), element.begin + core::kMagic.size(),
               element.end + core::kMagic.size()};
  return layout;
}

} // namespace sartor::remote
