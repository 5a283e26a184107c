// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "remote/server/clients/account.h"

#include <algorithm>
#include <ranges>
#include <string_view>
#include <tuple>

namespace sartor::server {

Result<Groups> Groups::parse(const std::vector<std::string> &texts) {
  Groups groups;
  const auto fail = [](const std::string &text, std::string why) {
    return std::unexpected(
        Failure{ErrorCode::file_error, text, std::move(why), "write --group NAME=CLIENT,CLIENT"});
  };
  for (const std::string &text : texts) {
    const auto equals = text.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == text.size())
      return fail(text, "is not a group");
    const std::string name = text.substr(0, equals);
    for (const auto part : std::views::split(std::string_view(text).substr(equals + 1), ',')) {
      const std::string client{std::string_view(part)};
      if (client.empty())
        return fail(text, "has a client without a name");
      if (const auto [known, is_new] = groups.group_of_.emplace(client, name);
          !is_new && known->second != name)
        return fail(text, "has the client " + client + ", which is in the group " + known->second);
    }
  }
  return groups;
}

std::string Groups::tenant_of(const std::string &client) const {
  const auto known = group_of_.find(client);
  return known == group_of_.end() ? "client " + client : "group " + known->second;
}

namespace {

/// The reciprocal of the share of all memory that is reserved for accounts that hold little.
constexpr std::size_t kReserved = 8;
/// An account holds little if it holds less than one part in this many.
constexpr std::size_t kLittle = 128;

std::string mebibytes(std::size_t bytes) {
  constexpr std::size_t kMebibyte = 1U << 20;
  return std::to_string((bytes + kMebibyte - 1) / kMebibyte) + " MiB";
}

} // namespace

Result<void> Charge::add(Account &account, std::size_t bytes) {
  if (auto admitted = account.ledger_.admit(account, bytes); !admitted) {
    account.refuse();
    return admitted;
  }
  account_ = &account;
  bytes_ += bytes;
  account.bytes_ += bytes;
  account.ledger_.bytes_ += bytes;
  return {};
}

void Charge::release() {
  if (!account_)
    return;
  account_->bytes_ -= bytes_;
  account_->ledger_.bytes_ -= bytes_;
  account_ = nullptr;
  bytes_ = 0;
}

Account &Ledger::of(const std::string &client) {
  const auto known = accounts_.find(client);
  if (known != accounts_.end())
    return known->second;
  return accounts_
      .emplace(std::piecewise_construct, std::forward_as_tuple(client),
               std::forward_as_tuple(*this, client, groups_.tenant_of(client)))
      .first->second;
}

bool Ledger::reclaim(const Account *account) const {
  return std::ranges::any_of(reclaims_, [&](const Reclaim &each) { return each(account); });
}

Result<void> Ledger::admit(Account &account, std::size_t bytes) {
  const bool is_unknown = &account == &unknown_;
  const std::size_t most = is_unknown ? limits_.of_unknown : limits_.of_client;
  while (account.bytes() + bytes > most)
    if (!reclaim(&account))
      return std::unexpected(Failure{
          ErrorCode::server_refused, account.client(),
          "may use " + mebibytes(most) + " of the server's memory and holds " +
              mebibytes(account.bytes()) + " already",
          "ask for less at a time, close connections, or raise the server's --memory-of-client"});
  const bool holds_little = account.bytes() + bytes <= limits_.bytes / kLittle;
  const std::size_t of_all = limits_.bytes - (holds_little ? 0 : limits_.bytes / kReserved);
  while (bytes_ + bytes > of_all)
    if (!reclaim(nullptr))
      return std::unexpected(Failure{ErrorCode::server_refused, "the server",
                                     "has no memory left: clients hold " + mebibytes(bytes_),
                                     "ask again, or raise the server's --memory"});
  return {};
}

Ledger::Limits limits_for(std::size_t memory, std::size_t before, std::size_t largest_request,
                          std::size_t of_client) {
  const std::size_t bytes = memory - std::min(before, memory / 2);
  // A request is in memory twice while it is decrypted or hashed for the first time.
  const std::size_t least = largest_request + largest_request / 4;
  const std::size_t share = of_client > 0 ? of_client : std::max(bytes / 4, least);
  return {bytes, std::min(share, bytes), bytes / 16};
}

} // namespace sartor::server
