// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_HTTP_HTTP_H
#define SARTOR_REMOTE_HTTP_HTTP_H

#include <chrono>
#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "remote/http/asio.h"

namespace sartor::remote {

struct HttpAnswer {
  unsigned status = 200;
  std::string body;
  const char *type = "text/plain; charset=utf-8";
};

struct HttpRequest {
  std::string_view path;
  std::string_view query; ///< Without `?`; empty if there is none.
  std::string_view text;  ///< The request up to the end of its headers.

  /// A header by its name, in any case.
  struct Header {
    int times = 0;          ///< How often it was given.
    std::string_view value; ///< The last one.
  };
  [[nodiscard]] Header header(std::string_view name) const;
};

struct HttpOptions {
  std::size_t most_header_bytes = 8192;
  std::chrono::seconds patience{5}; ///< Longest time of a connection.
  std::string headers = {};         ///< Of all answers, each with its end of line.
  /// Called first; an answer refuses the request.
  std::function<std::optional<HttpAnswer>(const HttpRequest &request)> refuse = {};
};

/// Answers GET requests (HTTP/1.1), one for each connection. If there are too many connections, the
/// oldest is closed: a peer that sends nothing delays no other. Used on the loop's thread.
class Http {
public:
  using Get = std::function<HttpAnswer(const HttpRequest &request)>;

  Http(asio::io_context &loop, Get get, HttpOptions options = {})
      : loop_(loop), get_(std::move(get)), options_(std::move(options)) {}
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
  /// As answer(); 500 if that throws an exception.
  [[nodiscard]] HttpAnswer answer_or_error(std::string_view request) const;
  [[nodiscard]] std::string text_of(const HttpAnswer &answer) const;

  asio::io_context &loop_;
  Get get_;
  const HttpOptions options_;
  std::list<std::shared_ptr<Socket>> open_; ///< The oldest first.
};

} // namespace sartor::remote

#endif
