// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/image/code_image.h"

namespace sartor::core {

void rename(CodeImage &image, const std::string &name) {
  for (Function &function : image.functions)
    if (function.name.starts_with(image.name))
      function.name.replace(0, image.name.size(), name);
  image.name = name;
}

} // namespace sartor::core
