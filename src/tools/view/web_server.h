// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_VIEW_WEB_SERVER_H
#define SARTOR_TOOLS_VIEW_WEB_SERVER_H

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "remote/http/http.h"

namespace sartor::view {

/// Serves GET requests on a random port of 127.0.0.1, below a random path that url() contains and
/// nothing else. Pages of other sites can send requests to this port: a request with another Host
/// (DNS rebinding) or Origin, or which a browser sends for another site, is refused.
class WebServer {
public:
  /// Answers what is below the random path: `""` is the page.
  using Get = std::function<remote::HttpAnswer(std::string_view path, std::string_view query)>;

  /// `policy` is the content security policy of all answers.
  WebServer(Get get, const std::string &policy);
  WebServer(const WebServer &) = delete;
  WebServer &operator=(const WebServer &) = delete;

  /// Fails with file_error.
  Result<void> listen();
  /// Valid after listen().
  [[nodiscard]] std::string url() const { return "http://" + host_ + path_; }
  /// Returns when the process is interrupted or terminated.
  void run();

private:
  [[nodiscard]] std::optional<remote::HttpAnswer> refuse(const remote::HttpRequest &request) const;
  [[nodiscard]] remote::HttpAnswer answer(const remote::HttpRequest &request) const;

  Get get_;
  asio::io_context loop_{1};
  remote::Http http_;
  std::string host_; ///< `127.0.0.1:PORT`
  std::string path_; ///< `/TOKEN/`
};

} // namespace sartor::view

#endif
