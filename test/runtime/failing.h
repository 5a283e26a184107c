// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_FAILING_H
#define SARTOR_TEST_FAILING_H

#include <optional>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sartor/error.hpp>

/// Runs `body` and checks the error that it must throw: its code and parts of its text.
template <class Body>
void expect_error(Body body, sartor::ErrorCode code, const std::string &subject,
                  const std::string &message, const std::string &remedy) {
  try {
    body();
    ADD_FAILURE() << "no error; expected " << to_string(code);
  } catch (const sartor::Error &error) {
    EXPECT_EQ(to_string(error.code()), to_string(code));
    EXPECT_THAT(error.failure().subject, testing::HasSubstr(subject));
    EXPECT_THAT(error.failure().message, testing::HasSubstr(message));
    EXPECT_THAT(error.failure().remedy, testing::HasSubstr(remedy));
  }
}

/// The code of the error that `body` throws, or none.
template <class Body> std::optional<sartor::ErrorCode> failing(Body body) {
  try {
    body();
    return std::nullopt;
  } catch (const sartor::Error &error) {
    return error.code();
  }
}

#endif
