// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/reports.h"

#include <iterator>
#include <utility>

namespace sartor::server {

namespace {

/// The memory of a report.
constexpr std::size_t kReportBytes = 512;

std::unexpected<Failure> refusal(std::string why, std::string remedy) {
  return std::unexpected(Failure{ErrorCode::server_refused, "a report of a quarantined variant",
                                 std::move(why), std::move(remedy)});
}

} // namespace

Result<void> Reports::add(const Answers::Key &key, Account &account) {
  if (clients_needed_ == 0)
    return refusal("is not accepted by this server",
                   "start sartor-server with --quarantine-after, or do not share the quarantine");
  const std::string &client = account.client();
  if (const auto known = reports_.find(key);
      known != reports_.end() && known->second.contains(client))
    return {};
  if (counts_[client] >= kMostOfClient)
    return refusal("is one too many: this client has " + std::to_string(kMostOfClient),
                   "update the compiler, or have an operator remove them (sartor server purge)");
  Charge charge;
  if (auto admitted = charge.add(account, kReportBytes); !admitted)
    return admitted;
  reports_[key].emplace(client, std::move(charge));
  ++counts_[client];
  return {};
}

bool Reports::is_withheld(const Answers::Key &key, const Account &account) const {
  const auto known = reports_.find(key);
  return known != reports_.end() &&
         (known->second.size() >= clients_needed_ || known->second.contains(account.client()));
}

std::size_t Reports::erase(const std::string &client) {
  std::size_t erased = 0;
  for (auto report = reports_.begin(); report != reports_.end();) {
    erased += std::erase_if(
        report->second, [&](const auto &each) { return client.empty() || each.first == client; });
    report = report->second.empty() ? reports_.erase(report) : std::next(report);
  }
  if (client.empty())
    counts_.clear();
  else
    counts_.erase(client);
  return erased;
}

} // namespace sartor::server
