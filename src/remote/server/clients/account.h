// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_CLIENTS_ACCOUNT_H
#define SARTOR_REMOTE_SERVER_CLIENTS_ACCOUNT_H

#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"

namespace sartor::server {

/// Clients that share cached answers and modules. A value.
class Groups {
public:
  Groups() = default;
  /// Each text is NAME=CLIENT,CLIENT... Fails with file_error if one is malformed, or a client is
  /// in two groups.
  static Result<Groups> parse(const std::vector<std::string> &texts);

  /// Returns different names for any two clients that are not in one group.
  [[nodiscard]] std::string tenant_of(const std::string &client) const;

private:
  std::map<std::string, std::string> group_of_;
};

class Ledger;

/// The resources of the server that one client uses. Charges may be released on any thread; all
/// other functions are called on the loop's thread.
class Account {
public:
  Account(Ledger &ledger, std::string client, std::string tenant)
      : ledger_(ledger), client_(std::move(client)), tenant_(std::move(tenant)) {}
  Account(const Account &) = delete;
  Account &operator=(const Account &) = delete;

  [[nodiscard]] const std::string &client() const { return client_; }
  /// Cached answers and modules are shared by clients of one tenant only.
  [[nodiscard]] const std::string &tenant() const { return tenant_; }
  /// The live bytes: frames, modules, answers, connections.
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] std::size_t connections() const { return connections_; }
  /// The processor time of compilers.
  [[nodiscard]] std::chrono::duration<double> compiled() const { return compiled_; }
  /// The number of times that a limit was reached.
  [[nodiscard]] std::size_t refused() const { return refused_; }

  void spent(std::chrono::duration<double> compiling) { compiled_ += compiling; }
  void refuse() { ++refused_; }

private:
  friend class Charge;
  friend class Connected;

  Ledger &ledger_;
  const std::string client_;
  const std::string tenant_;
  std::atomic<std::size_t> bytes_ = 0;
  std::size_t connections_ = 0;
  std::chrono::duration<double> compiled_{};
  std::size_t refused_ = 0;
};

/// Memory that is charged to an account until this is destroyed, on any thread.
class Charge {
public:
  Charge() = default;
  Charge(Charge &&other) noexcept
      : account_(std::exchange(other.account_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  Charge &operator=(Charge &&other) noexcept {
    std::swap(account_, other.account_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Charge() { release(); }

  /// Charges more. Fails with server_refused, which names the limit; the charge then stays as it
  /// was. Called on the loop's thread.
  Result<void> add(Account &account, std::size_t bytes);
  void release();
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

private:
  Account *account_ = nullptr;
  std::size_t bytes_ = 0;
};

/// A value that is charged for as long as it is used.
template <class T> std::shared_ptr<const T> charged(Charge charge, T value) {
  struct Both {
    Charge charge;
    T value;
  };
  auto both = std::make_shared<const Both>(Both{std::move(charge), std::move(value)});
  return {both, &both->value};
}

/// Counts a connection of a client while it exists.
class Connected {
public:
  explicit Connected(Account &account) : account_(account) { ++account_.connections_; }
  ~Connected() { --account_.connections_; }
  Connected(const Connected &) = delete;
  Connected &operator=(const Connected &) = delete;

private:
  Account &account_;
};

/// All accounts, and the memory that they share. An account that holds little may use what is kept
/// in reserve, so that others cannot lock it out.
class Ledger {
public:
  struct Limits {
    std::size_t bytes;      ///< For all accounts.
    std::size_t of_client;  ///< For one client.
    std::size_t of_unknown; ///< For all peers that have not proved their identity.
  };
  /// Releases cached memory: of that account, or, if it is null, of the one that has cached most.
  /// Returns false if there is none.
  using Reclaim = std::function<bool(const Account *)>;

  Ledger(Limits limits, Groups groups)
      : limits_(limits), groups_(std::move(groups)), unknown_(*this, "unknown", {}) {}

  Account &of(const std::string &client);
  /// The account of peers that have not proved their identity.
  Account &unknown() { return unknown_; }
  /// Keyed by client. Accounts are never removed.
  [[nodiscard]] const std::map<std::string, Account> &accounts() const { return accounts_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  [[nodiscard]] const Limits &limits() const { return limits_; }
  void reclaim_by(Reclaim reclaim) { reclaims_.push_back(std::move(reclaim)); }

private:
  friend class Charge;

  Result<void> admit(Account &account, std::size_t bytes);
  bool reclaim(const Account *account) const;

  const Limits limits_;
  const Groups groups_;
  std::atomic<std::size_t> bytes_ = 0;
  Account unknown_;
  std::map<std::string, Account> accounts_;
  std::vector<Reclaim> reclaims_;
};

/// Returns the part of `memory` bytes of the process that is available to accounts, if `before` are
/// in use already.
Ledger::Limits limits_for(std::size_t memory, std::size_t before, std::size_t largest_request,
                          std::size_t of_client);

} // namespace sartor::server

#endif
