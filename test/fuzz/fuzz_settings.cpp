// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whatever a configuration of the loader holds, it is read, or refused with the line.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "load/settings_file.h"

// NOLINTNEXTLINE(readability-identifier-naming): libFuzzer's name
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  using namespace sartor;
  const std::string_view text(reinterpret_cast<const char *>(data), size);
  const auto settings = load::parse_settings(text, "input");
  if (!settings && (settings.error().code != ErrorCode::bad_settings ||
                    !settings.error().subject.starts_with("input:")))
    std::abort();
  return 0;
}
