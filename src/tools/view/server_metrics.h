// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_TOOLS_VIEW_SERVER_METRICS_H
#define SARTOR_TOOLS_VIEW_SERVER_METRICS_H

#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/result.h"

namespace sartor::view {

/// Asks the endpoint that a specialization server has opened with --metrics.
class ServerMetrics {
public:
  /// `address` is HOST:PORT, or PORT of 127.0.0.1. Fails with bad_argument.
  static Result<ServerMetrics> at(const std::string &address);

  [[nodiscard]] std::string name() const { return host_ + ":" + port_; }

  /// Returns `{"metrics": TEXT, "ready": BOOLEAN, "state": TEXT}`. Fails with file_error.
  [[nodiscard]] Result<nlohmann::ordered_json> read() const;

private:
  struct Answer {
    int status = 0;
    std::string body;
  };

  ServerMetrics(std::string host, std::string port)
      : host_(std::move(host)), port_(std::move(port)) {}

  [[nodiscard]] Result<Answer> get(const std::string &path) const;

  std::string host_;
  std::string port_;
};

} // namespace sartor::view

#endif
