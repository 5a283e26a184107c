// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SARTOR_REMOTE_SERVER_NEWCOMERS_H
#define SARTOR_REMOTE_SERVER_NEWCOMERS_H

#include <cstddef>
#include <functional>
#include <list>

#include "remote/server/account.h"
#include "remote/server/wire.h"

namespace sartor::server {

/// Connections whose peers have not proved who they are. They have a number and memory of their
/// own. Where one more comes, one is closed: the oldest whose peer has done nothing yet, or, where
/// those are fewer than half, the oldest of the others. So a flood of silent peers does not close a
/// connection that is being opened. On the loop's thread.
class Newcomers {
public:
  Newcomers(Account &account, std::size_t most) : account_(account), most_(most) {}

  /// A connection, until its peer is known or gone.
  class Place {
  public:
    /// `has_begun`: whether the peer has done its first part in proving who it is.
    Place(Newcomers &newcomers, Wire &wire, std::function<bool()> has_begun);
    ~Place();
    Place(const Place &) = delete;
    Place &operator=(const Place &) = delete;
    /// Whether the connection was closed for another's sake, or there was no memory for it.
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
