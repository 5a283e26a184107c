// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "worker.h"

#include <utility>

#include "matmul.h"

namespace matmul {

Worker::Worker(asio::io_context &io, MultiplyStripe multiply, std::uint64_t block,
               Counters &counters, std::function<void(std::uint64_t)> on_size)
    : io_(io), multiply_(std::move(multiply)), block_(block), counters_(counters),
      on_size_(std::move(on_size)) {}

asio::awaitable<void> Worker::multiply(const std::uint64_t *a, const std::uint64_t *b,
                                       std::uint64_t *c, std::uint64_t n) {
  co_await asio::async_initiate<const asio::use_awaitable_t<> &, void()>(
      [=, this](auto done) { enqueue({a, b, c, n, std::move(done)}); }, asio::use_awaitable);
}

void Worker::enqueue(Product product) {
  products_.push_back(std::move(product));
  if (products_.size() == 1)
    asio::post(io_, [this] { make_piece(); });
}

void Worker::make_piece() {
  Product &product = products_.front();
  if (counters_.n.exchange(product.n) != product.n)
    on_size_(product.n);
  multiply_(product.a, product.b, product.c, product.n, block_, product.row, product.column);
  counters_.madds += stripe * stripe * product.n;
  product.column += stripe;
  if (product.column == product.n) {
    product.column = 0;
    product.row += stripe;
  }

  std::move_only_function<void()> done;
  if (product.row == product.n) {
    ++counters_.requests;
    done = std::move(product.done);
    products_.pop_front();
  }
  if (!products_.empty())
    asio::post(io_, [this] { make_piece(); });
  if (done)
    done(); // must be last: it may enqueue the next product
}

} // namespace matmul
