// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "policer_scenes.h"

namespace nf {

Frame to_few_hosts(std::mt19937_64 &random, NfSide) {
  Frame frame{.source = 0x08080808,
              .destination = 0x09ffffff + static_cast<std::uint32_t>(random() % 12)};
  frame.payload.resize(random() % 1400);
  return frame;
}

std::string policer_configuration(std::mt19937_64 &random) {
  std::string text;
  for (const char *network : {"10.0.0.1", "10.0.0.0/29", "9.0.0.0/8"})
    if (random() % 4 != 0)
      text += "[[policer.class]]\ndestinations = \"" + std::string(network) +
              "\"\nrate = " + std::to_string(1 + random() % 20'000) +
              "\nburst = " + std::to_string(500 + random() % 5000) + '\n';
  return text.empty() ? "[policer]\n" : text;
}

} // namespace nf
