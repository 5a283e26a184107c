// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef STUDIES_SUPPORT_REST_H
#define STUDIES_SUPPORT_REST_H

#include <chrono>
#include <thread>

namespace studies {

/// Lets a program that polls sleep while it has no work, because the machine may have other work.
/// A program that owns its processors would not.
class Rest {
public:
  /// Called after each round of polling. Sleeps after more than 200 rounds without work.
  void after(bool was_busy) {
    idle_ = was_busy ? 0 : idle_ + 1;
    if (idle_ > kRounds)
      std::this_thread::sleep_for(std::chrono::microseconds(50));
  }

private:
  static constexpr int kRounds = 200;
  int idle_ = 0;
};

} // namespace studies

#endif
