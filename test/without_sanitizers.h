// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_WITHOUT_SANITIZERS_H
#define SARTOR_TEST_WITHOUT_SANITIZERS_H

#include <gtest/gtest.h>

/// Skips a test, or all tests of a fixture in its SetUp(), under the address and the thread
/// sanitizer. `why` is the reason.
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SARTOR_NEEDS_NO_SANITIZER(why) GTEST_SKIP() << (why)
#endif
#endif
#ifndef SARTOR_NEEDS_NO_SANITIZER
#define SARTOR_NEEDS_NO_SANITIZER(why)                                                             \
  do {                                                                                             \
  } while (false)
#endif

#endif
