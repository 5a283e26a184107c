// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MATMUL_WORKER_H
#define MATMUL_WORKER_H

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>

#include "asio.h"

namespace matmul {

/// multiply_stripe(), or a replacement for it.
using MultiplyStripe = std::function<void(const std::uint64_t *a, const std::uint64_t *b,
                                          std::uint64_t *c, std::uint64_t n, std::uint64_t block,
                                          std::uint64_t row, std::uint64_t column)>;

/// The server's counters. Written by the event loop; any thread may read them.
struct Counters {
  std::atomic<std::uint64_t> madds = 0;    ///< Multiply-adds.
  std::atomic<std::uint64_t> requests = 0; ///< Products finished.
  std::atomic<std::uint64_t> n = 0;        ///< Size of the current product.
};

/// Computes products on the event loop in order of arrival, one piece per turn of the loop, so that
/// other connections read and write in between. Belongs to the event loop's thread.
class Worker {
public:
  /// Calls `on_size` before a product whose size differs from the previous one.
  Worker(asio::io_context &io, MultiplyStripe multiply, std::uint64_t block, Counters &counters,
         std::function<void(std::uint64_t n)> on_size);

  /// Completes when c = a · b. The matrices must stay at their addresses until then.
  asio::awaitable<void> multiply(const std::uint64_t *a, const std::uint64_t *b, std::uint64_t *c,
                                 std::uint64_t n);

private:
  struct Product {
    const std::uint64_t *a;
    const std::uint64_t *b;
    std::uint64_t *c;
    std::uint64_t n;
    std::move_only_function<void()> done;
    std::uint64_t row = 0;
    std::uint64_t column = 0;
  };

  void enqueue(Product product);
  void make_piece();

  asio::io_context &io_;
  MultiplyStripe multiply_;
  std::uint64_t block_;
  Counters &counters_;
  std::function<void(std::uint64_t)> on_size_;
  std::deque<Product> products_;
};

} // namespace matmul

#endif
