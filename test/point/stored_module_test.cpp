// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/space/stored_module.h"

#include <cstring>

#include <gtest/gtest.h>

#include "compiler/frontend/load.h"
#include "paths.h"
#include "runtime/jit/opening.h"

namespace sartor::core {
namespace {

constexpr std::size_t kHeaderBytes = 16;

/// A small module with an element of each kind.
HandlerModule small_module() {
  HandlerModule module;
  module.source = "a.cpp";
  module.bitcode = std::string("BC\0\xC0", 4);
  module.identity = "0123456789abcdef";
  Point point;
  point.label = "n";
  point.kind = PointKind::enumeration;
  point.type = {PointType::Class::integer, 32, true};
  point.choices = {Value(-1), Value(~0ULL), Value(0.5), Value("table+8")};
  point.sites = {{"f", "a.cpp", 3, ""}};
  point.handlers = {"f"};
  Point call;
  call.label = "call";
  call.kind = PointKind::custom;
  call.sites = {{"g", "a.cpp", 4, "stays generic"}};
  call.function = "slow";
  call.arguments = {{PointType::Class::pointer, 64, false}};
  call.custom_kind = "tariff";
  call.is_versioned = call.reads_memory = true;
  module.space = Space({point, call});
  Signature signature;
  signature.arguments = 2;
  signature.result.kind = Parameter::Kind::scalar;
  Parameter parameter;
  parameter.kind = Parameter::Kind::object;
  parameter.bytes = 12;
  parameter.pieces = {{0, 0, 8}, {1, 8, 4}};
  signature.parameters = {parameter};
  module.handlers = {{"f", "f.native", signature, "", true},
                     {"g", "g", {}, "is a coroutine", false}};
  module.left_out = {{ErrorCode::bad_bitcode, "b.cpp", "is damaged", "build it again"}};
  return module;
}

void expect_same(const HandlerModule &one, const HandlerModule &other) {
  EXPECT_EQ(one.source, other.source);
  EXPECT_EQ(one.bitcode, other.bitcode);
  EXPECT_EQ(one.identity, other.identity);
  EXPECT_EQ(one.space.json(), other.space.json());
  ASSERT_EQ(one.handlers.size(), other.handlers.size());
  for (std::size_t i = 0; i < one.handlers.size(); ++i) {
    EXPECT_EQ(one.handlers[i].name, other.handlers[i].name);
    EXPECT_EQ(one.handlers[i].native_name, other.handlers[i].native_name);
    EXPECT_EQ(one.handlers[i].signature, other.handlers[i].signature);
    EXPECT_EQ(one.handlers[i].native_only, other.handlers[i].native_only);
    EXPECT_EQ(one.handlers[i].has_loose_floats, other.handlers[i].has_loose_floats);
  }
  EXPECT_EQ(one.left_out, other.left_out);
}

/// The bytes with a correct checksum, so that the contents are examined.
std::string with_checksum(std::string bytes) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const char byte : bytes.substr(kHeaderBytes))
    sum = (sum ^ static_cast<unsigned char>(byte)) * 0x100000001b3;
  std::memcpy(bytes.data() + kHeaderBytes / 2, &sum, sizeof sum);
  return bytes;
}

TEST(StoredModule, IsTheOneThatWasPacked) {
  const HandlerModule module = small_module();
  const auto unpacked = unpack_module(pack_module(module));
  ASSERT_TRUE(unpacked) << unpacked.error().text();
  expect_same(module, *unpacked);
  EXPECT_EQ(unpacked->space.points()[1].choices, module.space.points()[1].choices);
  EXPECT_EQ(pack_module(*unpacked), pack_module(module));
}

TEST(StoredModule, OfAFileIsTheOneThatWasLoaded) {
  const auto module = runtime::open_file(paths::points(), {}, {{}, {}, {}});
  ASSERT_TRUE(module) << module.error().text();
  const auto unpacked = unpack_module(pack_module(*module));
  ASSERT_TRUE(unpacked) << unpacked.error().text();
  expect_same(*module, *unpacked);
  EXPECT_TRUE(unpacked->symbols.empty());
}

TEST(StoredModule, CutShortAnywhereIsRefused) {
  const std::string bytes = pack_module(small_module());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const auto unpacked = unpack_module(std::string_view(bytes).substr(0, size));
    ASSERT_FALSE(unpacked) << size;
    EXPECT_EQ(unpacked.error().code, ErrorCode::file_error);
    EXPECT_NE(unpacked.error().message, "");
    if (size >= kHeaderBytes) {
      EXPECT_FALSE(unpack_module(with_checksum(bytes.substr(0, size)))) << size;
    }
  }
  EXPECT_FALSE(unpack_module(bytes + '\0'));
  EXPECT_FALSE(unpack_module(with_checksum(bytes + '\0')));
}

TEST(StoredModule, WithOneBitFlippedIsRefused) {
  const std::string bytes = pack_module(small_module());
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(damaged[at] ^ (1U << bit));
      EXPECT_FALSE(unpack_module(damaged)) << at << ", bit " << bit;
    }
}

// The damage is deliberate: the module is either refused, or can be packed again.
TEST(StoredModule, ThatIsDamagedOnPurposeDoesNoHarm) {
  const std::string bytes = pack_module(small_module());
  for (std::size_t at = kHeaderBytes; at < bytes.size(); ++at)
    for (unsigned value = 0; value < 256; ++value) {
      std::string damaged = bytes;
      damaged[at] = static_cast<char>(value);
      damaged = with_checksum(std::move(damaged));
      const auto unpacked = unpack_module(damaged);
      if (unpacked) {
        EXPECT_EQ(pack_module(*unpacked), damaged) << at << ", " << value;
      } else {
        EXPECT_EQ(unpacked.error().code, ErrorCode::file_error);
      }
    }
}

} // namespace
} // namespace sartor::core
