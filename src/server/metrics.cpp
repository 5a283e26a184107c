// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "server/metrics.h"

#include <array>

namespace sartor::server {

namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;
using prometheus::Registry;

const char *name_of(Outcome outcome) {
  constexpr std::array names{"memory", "disk", "shared", "made", "failed"};
  return names.at(static_cast<std::size_t>(outcome));
}

prometheus::Gauge &gauge(Registry &registry, const char *name, const char *help) {
  return BuildGauge().Name(name).Help(help).Register(registry).Add({});
}

} // namespace

Metrics::Metrics()
    : connections(gauge(*registry_, "sartor_server_connections", "Clients that are connected.")),
      waiting(gauge(*registry_, "sartor_server_waiting", "Questions that wait for a compiler.")),
      working(gauge(*registry_, "sartor_server_working", "Compilers at work.")),
      cached_bytes(
          gauge(*registry_, "sartor_server_cached_bytes", "Answers that are kept in memory.")),
      compilers_started(BuildCounter()
                            .Name("sartor_server_compilers_started_total")
                            .Help("Compilers' processes that were started.")
                            .Register(*registry_)
                            .Add({})),
      requests_(BuildCounter()
                    .Name("sartor_server_requests_total")
                    .Help("Questions that were answered: from where, or not.")
                    .Register(*registry_)),
      seconds_(BuildHistogram()
                   .Name("sartor_server_request_seconds")
                   .Help("From a question to its answer.")
                   .Register(*registry_)),
      refusals_(BuildCounter()
                    .Name("sartor_server_refused_total")
                    .Help("Clients that were refused.")
                    .Register(*registry_)) {}

void Metrics::show_at(const std::string &address) {
  exposer_ = std::make_unique<prometheus::Exposer>(address, 1);
  exposer_->RegisterCollectable(registry_);
}

prometheus::Counter &Metrics::answered(const std::string &client, Outcome outcome) {
  return requests_.Add({{"client", client}, {"from", name_of(outcome)}});
}

prometheus::Histogram &Metrics::seconds(Outcome outcome) {
  return seconds_.Add({{"from", name_of(outcome)}},
                      prometheus::Histogram::BucketBoundaries{0.0001, 0.0003, 0.001, 0.003, 0.01,
                                                              0.03, 0.1, 0.3, 1, 3, 10, 30});
}

prometheus::Counter &Metrics::refused(const std::string &why) {
  return refusals_.Add({{"why", why}});
}

} // namespace sartor::server
