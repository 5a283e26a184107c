// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_VIEW_WEB_SERVER_H
#define SARTOR_TOOLS_VIEW_WEB_SERVER_H

#include <functional>
#include <list>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "tools/view/asio.h"

namespace sartor::view {

struct WebAnswer {
  unsigned status = 200;
  std::string body;
  const char *type = "text/plain; charset=utf-8";
};

/// Serves GET requests on a random port of 127.0.0.1, below a random path that url() contains and
/// nothing else. Pages of other sites can send requests to this port: a request with another Host
/// (DNS rebinding) or Origin, or which a browser sends for another site, is refused.
class WebServer {
public:
  /// Answers what is below the random path: `""` is the page.
  using Get = std::function<WebAnswer(std::string_view path, std::string_view query)>;

  /// `policy` is the content security policy of all answers.
  WebServer(Get get, std::string policy) : get_(std::move(get)), policy_(std::move(policy)) {}
  WebServer(const WebServer &) = delete;
  WebServer &operator=(const WebServer &) = delete;

  /// Fails with file_error.
  Result<void> listen();
  /// Valid after listen().
  [[nodiscard]] std::string url() const { return "http://" + host_ + path_; }
  /// Returns when the process is interrupted or terminated.
  void run();

private:
  using Socket = asio::ip::tcp::socket;

  asio::awaitable<void> accept();
  asio::awaitable<void> serve(std::shared_ptr<Socket> socket);
  [[nodiscard]] WebAnswer answer(std::string_view request) const;
  [[nodiscard]] std::string text_of(const WebAnswer &answer) const;

  Get get_;
  std::string policy_;
  asio::io_context loop_{1};
  asio::ip::tcp::acceptor acceptor_{loop_};
  std::string host_;                        ///< `127.0.0.1:PORT`
  std::string path_;                        ///< `/TOKEN/`
  std::list<std::shared_ptr<Socket>> open_; ///< The oldest first.
};

} // namespace sartor::view

#endif
