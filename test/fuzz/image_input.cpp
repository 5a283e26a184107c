// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "fuzz/image_input.h"

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "core/image/pack.h"
#include "runtime/codemem/debug_object.h"
#include "runtime/codemem/fill.h"
#include "runtime/codemem/function_frames.h"
#include "runtime/codemem/line_rows.h"

namespace sartor::core {

namespace {

// Limits the memory that is allocated for an image that is only inspected.
constexpr std::uint64_t kMostZeroed = 1U << 20;

} // namespace

CodeImage some_image() {
  CodeImage image;
  image.name = "f{x=1}";
  image.code = std::string(64, '\x90') + std::string("\x10\0\0\0abcdefghijkl\0\0\0\0", 20);
  image.data = "variables";
  image.zeroed = 100;
  image.alignment = 64;
  image.entry = 16;
  image.unwind = 64;
  image.unwind_bytes = 20;
  image.symbols = {{"memcpy"}, {"perhaps", true}};
  image.fills = {{3, -4, 0, FillKind::branch},
                 {20, 8, kOwnData, FillKind::relative},
                 {32, 0, 1, FillKind::address},
                 {84, 7, kOwnCode, FillKind::address},
                 {60, -4, 1, FillKind::load}};
  image.functions = {{"f{x=1}", 16, 40}, {"helper", 0, 16}};
  image.debug = {
      {".debug_line", std::string("\x0c\0\0\0\x05\0\x08\0\1\1\1\xfb\x0e\x0d\0\1", 16), {4, 8}},
      {".debug_str_offsets", std::string("\x08\0\0\0\5\0\0\0\0\0\0\0", 12), {}},
      {".debug_str", std::string("f{x=1}\0", 7), {}}};
  image.fold_report = {{}, {{"f", 7, 2, "why"}}, Followed::in_part, 1, 2};
  return image;
}

bool look_at_image(std::string_view bytes) {
  const auto image = unpack_image(bytes);
  if (!image)
    return false;
  if (pack_image(*image) != bytes)
    std::abort();
  if (image->zeroed > kMostZeroed)
    return true;
  const auto code = std::make_unique<std::byte[]>(image->code.size());
  const auto data = std::make_unique<std::byte[]>(image->data.size() + image->zeroed);
  const auto near = reinterpret_cast<std::uint64_t>(code.get());
  (void)runtime::fill(*image, {code.get(), code.get(), data.get()},
                      std::vector<std::uint64_t>(image->symbols.size(), near));
  (void)runtime::debug_object(*image, near, true);
  (void)runtime::line_rows(image->debug);
  for (const Function &function : image->functions)
    (void)runtime::function_frames(*image, function);
  CodeImage renamed = *image;
  rename(renamed, "g");
  return true;
}

} // namespace sartor::core
