// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEND_FACTS_H
#define SEND_FACTS_H

#include <array>
#include <memory>

#include <sartor/quasi_invariant.hpp>

namespace sartor::send {

/// What usually holds of the way out of this host, whoever sends: interfaces and their addresses.
/// (Which interfaces there are, and the default one, lwip.sartor declares itself.) Interfaces that
/// are added later are not known. Lives longer than what is sent by it.
QuasiInvariant route_fact();

/// What usually holds of one socket while it is open. To be destroyed, outside of the monitor,
/// before the socket is closed.
class SocketFacts {
public:
  /// Of a socket of lwIP's that is connected; the monitor is taken. Throws std::invalid_argument if
  /// it is not open, or of another kind than UDP and TCP.
  explicit SocketFacts(int socket);

  /// Waits until all hold, so long at most for each.
  bool wait_until_hold(std::chrono::nanoseconds at_most) const; // NOLINT(modernize-use-nodiscard)
  /// Of all facts together: sums, the longest break, and whether all are watched.
  [[nodiscard]] QuasiInvariantFigures figures() const;

private:
  /// Which connection it is, and of what kind.
  QuasiInvariant open_;
  /// Its options, which nobody may change while this lives: who tries is refused.
  QuasiInvariant options_;
  /// Its addresses and ports, and of a stream that it is established.
  QuasiInvariant destination_;
  /// Of a stream, what the size of segments follows from; an acknowledgement may change it.
  std::unique_ptr<QuasiInvariant> segments_;
};

} // namespace sartor::send

#endif
