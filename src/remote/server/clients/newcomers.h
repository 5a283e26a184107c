// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_CLIENTS_NEWCOMERS_H
#define SARTOR_REMOTE_SERVER_CLIENTS_NEWCOMERS_H

#include <cstddef>
#include <functional>
#include <list>

#include "remote/server/clients/account.h"
#include "remote/server/wire.h"

namespace sartor::server {

/// Connections whose peers have not proved their identity. They have limits of their own. If a
/// further one comes, one is closed: the oldest whose peer has sent nothing yet, or, if those are
/// fewer than half, the oldest of the others. So a flood of silent peers does not close a
/// connection that is being opened. Used on the loop's thread.
class Newcomers {
public:
  Newcomers(Account &account, std::size_t most) : account_(account), most_(most) {}

  /// A connection, until its peer is identified or gone.
  class Place {
  public:
    /// `has_begun` returns whether the peer has begun to prove its identity. Closes `wire` if its
    /// memory cannot be charged even after all others have been closed.
    Place(Newcomers &newcomers, Wire &wire, std::function<bool()> has_begun);
    ~Place();
    Place(const Place &) = delete;
    Place &operator=(const Place &) = delete;
    /// True if the connection was closed in favor of another one, or memory was exhausted.
    [[nodiscard]] bool is_lost() const { return lost_; }

  private:
    friend class Newcomers;

    Newcomers &newcomers_;
    Wire &wire_;
    const std::function<bool()> has_begun_;
    Charge charge_;
    std::list<Place *>::iterator at_;
    bool lost_ = false;
  };

  [[nodiscard]] std::size_t size() const { return places_.size(); }

private:
  void drop_one();

  Account &account_;
  const std::size_t most_;
  std::list<Place *> places_; ///< The oldest first.
};

} // namespace sartor::server

#endif
