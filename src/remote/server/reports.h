// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_REPORTS_H
#define SARTOR_REMOTE_SERVER_REPORTS_H

#include <cstddef>
#include <map>
#include <string>

#include "base/result.h"
#include "remote/server/answers.h"
#include "remote/server/clients/account.h"

namespace sartor::server {

/// Clients' reports of answers whose code they have quarantined. The key of an answer includes the
/// tenant, and the build on both sides: a report concerns clients alone that share answers with the
/// reporting one. Used on the loop's thread.
class Reports {
public:
  /// The number of reports that a client may have at a time.
  static constexpr std::size_t kMostOfClient = 256;

  /// An answer is withheld from other clients after the reports of so many; 0: no report is
  /// accepted.
  explicit Reports(unsigned clients_needed) : clients_needed_(clients_needed) {}

  /// Counts a client's report of an answer once. Fails with server_refused: reports are not
  /// accepted, the client has too many, or its memory is spent.
  Result<void> add(const Answers::Key &key, Account &account);
  /// True if the client gets no such answer: it has reported it, or enough others have.
  [[nodiscard]] bool is_withheld(const Answers::Key &key, const Account &account) const;
  /// Removes the reports of a client, or, if it is empty, of all. Returns their number.
  std::size_t erase(const std::string &client);

private:
  const unsigned clients_needed_;
  /// By key and the name of the client.
  std::map<Answers::Key, std::map<std::string, Charge>> reports_;
  std::map<std::string, std::size_t> counts_; ///< By client.
};

} // namespace sartor::server

#endif
