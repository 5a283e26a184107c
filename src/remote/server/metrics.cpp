// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/metrics.h"

#include <array>
#include <map>
#include <sstream>
#include <utility>

#include <prometheus/text_serializer.h>

namespace sartor::server {

namespace {

using prometheus::BuildCounter;
using prometheus::BuildGauge;
using prometheus::BuildHistogram;
using prometheus::Registry;

constexpr std::size_t kMostUsers = 64;

const char *name_of(Outcome outcome) {
  constexpr std::array names{"memory", "disk", "shared", "made", "failed"};
  return names.at(static_cast<std::size_t>(outcome));
}

auto &gauges(Registry &registry, const char *name, const char *help) {
  return BuildGauge().Name(name).Help(help).Register(registry);
}

auto &counters(Registry &registry, const char *name, const char *help) {
  return BuildCounter().Name(name).Help(help).Register(registry);
}

} // namespace

Metrics::Metrics()
    : connections(gauges(registry_, "sartor_server_connections", "Open connections, of all peers.")
                      .Add({})),
      waiting(
          gauges(registry_, "sartor_server_waiting", "Requests that wait for a compiler.").Add({})),
      working(gauges(registry_, "sartor_server_working", "Compilers at work.").Add({})),
      cached_bytes(
          gauges(registry_, "sartor_server_cached_bytes", "Answers kept in memory.").Add({})),
      compilers_started(counters(registry_, "sartor_server_compilers_started_total",
                                 "Compiler processes that were started.")
                            .Add({})),
      compilers_lost(counters(registry_, "sartor_server_compilers_lost_total",
                              "Compiler processes that crashed or were killed at the time limit.")
                         .Add({})),
      evicted(counters(registry_, "sartor_server_evicted_total",
                       "Answers that were dropped from memory to make room.")
                  .Add({})),
      requests_(counters(registry_, "sartor_server_requests_total",
                         "Requests by client and by where the answer was found.")),
      seconds_(BuildHistogram()
                   .Name("sartor_server_request_seconds")
                   .Help("From a request to its answer.")
                   .Register(registry_)),
      refusals_(counters(registry_, "sartor_server_refused_total",
                         "Peers and requests that were refused, by reason and client.")),
      seconds_of_client_(counters(registry_, "sartor_server_client_seconds_total",
                                  "Time from requests to answers, by client.")),
      compile_seconds_(counters(registry_, "sartor_server_compile_seconds_total",
                                "Time of compilers, by client.")),
      connections_of_client_(
          gauges(registry_, "sartor_server_client_connections", "Open connections, by client.")),
      bytes_of_client_(gauges(registry_, "sartor_server_client_bytes", "Memory held, by client.")) {
}

std::string Metrics::text() const {
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, registry_.Collect());
  return out.str();
}

std::string Metrics::label_of(const std::string &client) {
  if (client.empty())
    return "unknown";
  // Local users become labels only up to a limit; a key's name contains no space.
  if (!client.contains(' ') || users_.contains(client))
    return client;
  return users_.size() < kMostUsers ? *users_.insert(client).first : "uid of others";
}

void Metrics::answered(const std::string &client, Outcome outcome,
                       std::chrono::duration<double> took) {
  const std::string label = label_of(client);
  requests_.Add({{"client", label}, {"from", name_of(outcome)}}).Increment();
  seconds_of_client_.Add({{"client", label}}).Increment(took.count());
  seconds_
      .Add({{"from", name_of(outcome)}},
           prometheus::Histogram::BucketBoundaries{0.0001, 0.0003, 0.001, 0.003, 0.01, 0.03, 0.1,
                                                   0.3, 1, 3, 10, 30})
      .Observe(took.count());
}

void Metrics::compiled(const std::string &client, std::chrono::duration<double> took) {
  compile_seconds_.Add({{"client", label_of(client)}}).Increment(took.count());
}

prometheus::Counter &Metrics::refused(const std::string &why, const std::string &client) {
  return refusals_.Add({{"why", why}, {"client", label_of(client)}});
}

// Clients may share a label.
void Metrics::held(const Ledger &ledger) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> sums;
  for (const auto &[client, account] : ledger.accounts()) {
    auto &[peers, bytes] = sums[label_of(client)];
    peers += account.connections();
    bytes += account.bytes();
  }
  for (const auto &[label, sum] : sums) {
    connections_of_client_.Add({{"client", label}}).Set(static_cast<double>(sum.first));
    bytes_of_client_.Add({{"client", label}}).Set(static_cast<double>(sum.second));
  }
}

} // namespace sartor::server
