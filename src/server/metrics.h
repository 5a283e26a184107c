// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_SERVER_METRICS_H
#define SARTOR_SERVER_METRICS_H

#include <memory>
#include <string>

#include <prometheus/counter.h>
#include <prometheus/exposer.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>

namespace sartor::server {

/// How a question was answered.
enum class Outcome : unsigned char { memory, disk, shared, made, failed };

/// What the server counts, as Prometheus takes it.
class Metrics {
private:
  std::shared_ptr<prometheus::Registry> registry_ = std::make_shared<prometheus::Registry>();

public:
  Metrics();

  /// Shown at http://`address`/metrics, "HOST:PORT". Throws where that cannot be listened at.
  void show_at(const std::string &address);

  prometheus::Counter &answered(const std::string &client, Outcome outcome);
  prometheus::Histogram &seconds(Outcome outcome);
  prometheus::Counter &refused(const std::string &why);

  prometheus::Gauge &connections;
  prometheus::Gauge &waiting;
  prometheus::Gauge &working;
  prometheus::Gauge &cached_bytes;
  prometheus::Counter &compilers_started;

private:
  prometheus::Family<prometheus::Counter> &requests_;
  prometheus::Family<prometheus::Histogram> &seconds_;
  prometheus::Family<prometheus::Counter> &refusals_;
  std::unique_ptr<prometheus::Exposer> exposer_;
};

} // namespace sartor::server

#endif
