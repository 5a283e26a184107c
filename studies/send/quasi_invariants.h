// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEND_QUASI_INVARIANTS_H
#define SEND_QUASI_INVARIANTS_H

#include <array>
#include <memory>

#include <sartor/quasi_invariant.hpp>

namespace sartor::send {

/// The quasi-invariants of routing on this host, for all senders: interfaces and their addresses.
/// (lwip.sartor declares the list of interfaces and the default one.) Interfaces added later are
/// not covered. Must outlive the code that depends on it.
QuasiInvariant route_quasi_invariant();

/// The quasi-invariants of one socket while it is open. Destroy it outside of the monitor before
/// the socket is closed.
class SocketQuasiInvariants {
public:
  /// For a connected lwIP socket; takes the monitor. Throws std::invalid_argument if it is not
  /// open, or neither UDP nor TCP.
  explicit SocketQuasiInvariants(int socket);

  /// Waits until all are valid, at most this long for each.
  bool wait_until_hold(std::chrono::nanoseconds at_most) const; // NOLINT(modernize-use-nodiscard)
  /// Figures of all quasi-invariants together: sums, the longest invalidation, and whether all have
  /// write guards.
  [[nodiscard]] QuasiInvariantFigures figures() const;

private:
  /// The connection's identity and kind.
  QuasiInvariant open_;
  /// Its options, which must not change while this object lives: writers are refused.
  QuasiInvariant options_;
  /// Its addresses and ports; for a stream also that it is established.
  QuasiInvariant destination_;
  /// For a stream, the inputs of the segment size; an acknowledgement may change them.
  std::unique_ptr<QuasiInvariant> segments_;
};

} // namespace sartor::send

#endif
