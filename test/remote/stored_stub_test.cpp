// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "core/compiler/stored_stub.h"

#include <string>

#include <gtest/gtest.h>

namespace sartor::core {
namespace {

CheckingStub some_stub() {
  CheckingStub stub{{Comparison::isolated, "it calls getenv()", "server.c", 41}, {}};
  stub.image.name = "f (check)";
  stub.image.code = std::string(64, '\x90');
  stub.image.alignment = 16;
  return stub;
}

TEST(StoredStub, IsReadAsItWasWritten) {
  const auto stub = unpack_stub(pack_stub(some_stub()));
  ASSERT_TRUE(stub) << stub.error().text();
  EXPECT_EQ(text_of(stub->comparability), text_of(some_stub().comparability));
  EXPECT_EQ(stub->image.code, some_stub().image.code);
}

TEST(StoredStub, HasNoImageIfCallsAreNotComparable) {
  CheckingStub none = some_stub();
  none.comparability.how = Comparison::none;
  none.comparability.code = NotCompared::kLast;
  const auto stub = unpack_stub(pack_stub(none));
  ASSERT_TRUE(stub) << stub.error().text();
  EXPECT_TRUE(stub->image.code.empty());
  EXPECT_EQ(stub->comparability.code, NotCompared::kLast);
  // The kind of comparison is the first byte: an image without a use, and a use without an image.
  std::string bytes = pack_stub(none);
  bytes[0] = static_cast<char>(Comparison::pure);
  EXPECT_FALSE(unpack_stub(bytes));
  bytes = pack_stub(some_stub());
  bytes[0] = static_cast<char>(Comparison::none);
  EXPECT_FALSE(unpack_stub(bytes));
  bytes[0] = static_cast<char>(Comparison::kLast) + 1;
  EXPECT_FALSE(unpack_stub(bytes));
}

TEST(StoredStub, IsRefusedIfItIsDamaged) {
  const std::string bytes = pack_stub(some_stub());
  for (std::size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(unpack_stub(bytes.substr(0, size))) << size;
  EXPECT_FALSE(unpack_stub(bytes + 'x'));
  CheckingStub bad = some_stub();
  bad.image.entry = 64; // outside of the code
  EXPECT_FALSE(unpack_stub(pack_stub(bad)));
}

TEST(StoredStub, SaysNothingThatATerminalObeys) {
  CheckingStub stub = some_stub();
  stub.comparability.reason = "\x1b[2J";
  const auto read = unpack_stub(pack_stub(stub));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->comparability.reason.find('\x1b'), std::string::npos);
}

} // namespace
} // namespace sartor::core
