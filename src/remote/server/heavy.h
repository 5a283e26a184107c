// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_HEAVY_H
#define SARTOR_REMOTE_SERVER_HEAVY_H

#include <cstddef>
#include <type_traits>
#include <utility>

#include "remote/server/asio.h"

namespace sartor::server {

/// Runs work on many bytes (hashing, reading, encrypting) on threads, so that the loop is not
/// blocked for longer than about a millisecond.
class Heavy {
public:
  /// `work` runs on the loop's thread if it is for few bytes. It must not throw.
  template <class Work>
  asio::awaitable<std::invoke_result_t<Work>> run(std::size_t bytes, Work work) {
    if (bytes < kFew)
      co_return work();
    co_return co_await asio::co_spawn(
        threads_, [&work]() -> asio::awaitable<std::invoke_result_t<Work>> { co_return work(); },
        asio::use_awaitable);
  }

private:
  static constexpr std::size_t kFew = 256U << 10;

  asio::thread_pool threads_{2};
};

} // namespace sartor::server

#endif
