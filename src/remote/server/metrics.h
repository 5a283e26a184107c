// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_METRICS_H
#define SARTOR_REMOTE_SERVER_METRICS_H

#include <chrono>
#include <cstddef>
#include <set>
#include <string>

#include <prometheus/counter.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

#include "remote/server/clients/account.h"

namespace sartor::server {

/// The way in which a question was answered.
enum class Outcome : unsigned char { memory, disk, shared, made, failed };

/// The server's metrics. Clients are labels; there are as many as known keys and a few for users of
/// Unix sockets.
class Metrics {
private:
  prometheus::Registry registry_;

public:
  Metrics();

  /// Returns the metrics in Prometheus' text format.
  [[nodiscard]] std::string text() const;

  void answered(const std::string &client, Outcome outcome, std::chrono::duration<double> took);
  void compiled(const std::string &client, std::chrono::duration<double> took);
  prometheus::Counter &refused(const std::string &why, const std::string &client = {});
  /// Updates what clients hold now.
  void held(const Ledger &ledger);

  prometheus::Gauge &connections;
  prometheus::Gauge &waiting;
  prometheus::Gauge &working;
  prometheus::Gauge &cached_bytes;
  prometheus::Counter &compilers_started;
  prometheus::Counter &compilers_lost;
  prometheus::Counter &evicted;

private:
  /// Returns the label of a client.
  std::string label_of(const std::string &client);

  std::set<std::string> users_; ///< "uid 1000"
  prometheus::Family<prometheus::Counter> &requests_;
  prometheus::Family<prometheus::Histogram> &seconds_;
  prometheus::Family<prometheus::Counter> &refusals_;
  prometheus::Family<prometheus::Counter> &seconds_of_client_;
  prometheus::Family<prometheus::Counter> &compile_seconds_;
  prometheus::Family<prometheus::Gauge> &connections_of_client_;
  prometheus::Family<prometheus::Gauge> &bytes_of_client_;
};

} // namespace sartor::server

#endif
