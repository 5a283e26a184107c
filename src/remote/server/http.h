// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_HTTP_H
#define SARTOR_REMOTE_SERVER_HTTP_H

#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "remote/server/asio.h"

namespace sartor::server {

struct HttpAnswer {
  unsigned status = 200;
  std::string body;
  const char *type = "text/plain; charset=utf-8";
};

/// Answers GET requests (HTTP/1.1), one for each connection. If there are too many connections, the
/// oldest is closed: a peer that sends nothing delays no other. Used on the loop's thread.
class Http {
public:
  using Get = std::function<HttpAnswer(std::string_view path)>;

  Http(asio::io_context &loop, Get get) : loop_(loop), get_(std::move(get)) {}
  Http(const Http &) = delete;
  Http &operator=(const Http &) = delete;

  /// `address` is HOST:PORT, or PORT of 127.0.0.1. Returns the address on which it listens. Fails
  /// with file_error.
  Result<asio::ip::tcp::endpoint> listen(const std::string &address);

private:
  using Socket = asio::ip::tcp::socket;

  asio::awaitable<void> accept(std::shared_ptr<asio::ip::tcp::acceptor> acceptor);
  asio::awaitable<void> serve(std::shared_ptr<Socket> socket);
  [[nodiscard]] HttpAnswer answer(std::string_view request) const;

  asio::io_context &loop_;
  Get get_;
  std::list<std::shared_ptr<Socket>> open_; ///< The oldest first.
};

} // namespace sartor::server

#endif
