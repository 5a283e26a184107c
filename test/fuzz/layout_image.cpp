// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/layout_writer.h"
#include "image/pack.cpp" // NOLINT(bugprone-suspicious-include): what is static there is used

namespace sartor::remote {

Layout layout_of_image(std::string_view packed) {
  const auto image = image::unpack(packed);
  Layout layout = image ? bytes::layout_of_thing(*image) : Layout();
  for (Field &field : layout.fields)
    field.at += image::kMagic.size();
  for (Element &element : layout.elements)
    element = {element.count_at + image::kMagic.size(), element.begin + image::kMagic.size(),
               element.end + image::kMagic.size()};
  return layout;
}

} // namespace sartor::remote
