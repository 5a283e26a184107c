// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef ECHO_PEER_H
#define ECHO_PEER_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "cable.h"

namespace sartor::echo {

/// Addresses of the hosts on a cable.
inline constexpr const char *server_text = "10.1.0.1";
inline constexpr std::uint32_t server_address = 0x0a01'0001;
inline constexpr std::uint32_t client_address = 0x0a01'0002;
inline constexpr std::uint16_t server_port = 7;
inline constexpr std::uint16_t first_client_port = 1024;
inline constexpr std::uint8_t server_mac[6] = {2, 0, 0, 0, 0, 1}; // NOLINT(*-avoid-c-arrays): C's
inline constexpr std::uint8_t client_mac[6] = {2, 0, 0, 0, 0, 2}; // NOLINT(*-avoid-c-arrays)

/// A host at the other end of the cable with a TCP implementation of its own, since one process
/// cannot contain two lwIPs. It tracks sequence numbers, accepts segments in order only, and
/// retransmits nothing, as a cable loses nothing. It acknowledges data with the next segment or on
/// request.
class Peer {
public:
  enum class State : std::uint8_t { closed, opening, open, ended, reset };

  Peer(Cable &cable, std::size_t connections);

  /// Asks for the server's hardware address; the server learns the clients' address from that.
  void introduce();
  /// Sends a SYN. take() processes the answer.
  void open(std::size_t connection);
  /// Sends a segment of up to 1,460 bytes. False if the cable has no room.
  bool send(std::size_t connection, std::span<const std::uint8_t> data, bool finish = false);
  void acknowledge(std::size_t connection);
  /// Sets the receive window; 0 closes it. The server learns of it with the next segment.
  void set_window(std::size_t connection, std::uint16_t bytes);
  void reset(std::size_t connection);
  /// Drops a connection silently; its port may be used again.
  void vanish(std::size_t connection);
  /// Sends a frame of arbitrary bytes.
  void send_frame(std::span<const std::uint8_t> frame);
  /// Builds the segment that send() would send, so that a test can damage it.
  [[nodiscard]] std::vector<std::uint8_t> segment(std::size_t connection,
                                                  std::span<const std::uint8_t> data);

  using Data = std::function<void(std::size_t connection, std::span<const std::uint8_t> data)>;
  /// Takes all received frames; passes new data to `data` in order.
  void take(const Data &data);

  [[nodiscard]] State state(std::size_t connection) const { return connections_[connection].state; }
  /// Bytes that the server still accepts beyond the unacknowledged ones.
  [[nodiscard]] std::size_t window(std::size_t connection) const;
  /// Number of connections that the server has closed or reset, and of segments out of order.
  [[nodiscard]] std::size_t unexpected() const { return unexpected_; }

private:
  struct Connection {
    State state = State::closed;
    std::uint16_t port = 0;
    std::uint32_t next = 0;     // the next to send
    std::uint32_t expected = 0; // the next to receive
    std::uint32_t taken_to = 0; // acknowledged by the server
    std::uint16_t offered = 0;  // the server's window
    std::uint16_t window = 0xffff;
  };

  std::size_t write(const Connection &connection, std::span<const std::uint8_t> data,
                    std::uint8_t flags, std::span<std::uint8_t> frame) const;
  bool transmit(Connection &connection, std::span<const std::uint8_t> data, std::uint8_t flags);
  void send_arp(std::uint16_t operation);
  void answer_arp(std::span<const std::uint8_t> request);
  void take_segment(std::span<const std::uint8_t> frame, const Data &data);

  Cable &cable_;
  std::vector<Connection> connections_;
  std::size_t unexpected_ = 0;
};

} // namespace sartor::echo

#endif
