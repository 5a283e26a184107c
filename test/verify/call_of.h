// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TEST_VERIFY_CALL_OF_H
#define SARTOR_TEST_VERIFY_CALL_OF_H

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "runtime/verify/isolated_call.h"

#include "../without_sanitizers.h"

namespace sartor::runtime {

#define SARTOR_NEEDS_PAGE_PROTECTION                                                               \
  SARTOR_NEEDS_NO_SANITIZER("a sanitizer's memory cannot be protected")

using Code = long (*)(void *argument);

/// Describes a call of a function of type Code, as a checking stub does.
class CallOf {
public:
  explicit CallOf(void *argument = nullptr) : frame_{argument, -1, 0} {
    call_.call = [](void *code, void *frame) {
      auto &of = *static_cast<Frame *>(frame);
      of.result = reinterpret_cast<Code>(code)(of.argument);
    };
    call_.frame = &frame_;
    call_.frame_bytes = sizeof frame_;
    call_.result_offset = offsetof(Frame, result);
    call_.result_bytes = sizeof frame_.result;
  }
  CallOf(const CallOf &) = delete;
  CallOf &operator=(const CallOf &) = delete;

  core::CheckedCall &operator*() { return call_; }
  [[nodiscard]] long result() const { return frame_.result; }
  static long result_in(const std::vector<unsigned char> &frame) {
    long result = 0;
    if (frame.size() == sizeof(Frame))
      std::memcpy(&result, frame.data() + offsetof(Frame, result), sizeof result);
    return result;
  }

  IsolatedComparison compare(Code native, Code variant, const IsolationLimits &limits = {}) {
    return compare_isolated(call_, reinterpret_cast<void *>(native),
                            reinterpret_cast<void *>(variant), limits);
  }
  IsolatedOutcome run(Code code, const IsolationLimits &limits = {}) {
    return run_isolated(call_, reinterpret_cast<void *>(code), limits);
  }
  Result<std::vector<MemoryPiece>> touch(Code code, const IsolationLimits &limits = {}) {
    return touched_memory(call_, reinterpret_cast<void *>(code), limits);
  }

private:
  struct Frame {
    void *argument;
    long result;
    long unused;
  };
  alignas(16) Frame frame_;
  core::CheckedCall call_{};
};

/// The verdict and reason as text, for comparisons and messages.
inline std::string text_of(const IsolatedComparison &comparison) {
  static constexpr const char *kNames[] = {"same", "different", "not comparable", "unknown"};
  const std::string name = kNames[static_cast<int>(comparison.verdict)];
  return comparison.reason.empty() ? name : name + ": " + comparison.reason;
}

} // namespace sartor::runtime

#endif
