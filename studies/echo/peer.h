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

/// Where all is, on a cable.
inline constexpr const char *server_text = "10.1.0.1";
inline constexpr std::uint32_t server_address = 0x0a01'0001;
inline constexpr std::uint32_t client_address = 0x0a01'0002;
inline constexpr std::uint16_t server_port = 7;
inline constexpr std::uint16_t first_client_port = 1024;
inline constexpr std::uint8_t server_mac[6] = {2, 0, 0, 0, 0, 1}; // NOLINT(*-avoid-c-arrays): C's
inline constexpr std::uint8_t client_mac[6] = {2, 0, 0, 0, 0, 2}; // NOLINT(*-avoid-c-arrays)

/// A host at the other end of the cable, with TCP connections that are its own: two of lwIP cannot
/// be in one process. It keeps sequence numbers, takes segments in their order, and sends nothing
/// again, as a cable loses nothing. What it has got it acknowledges with the next segment, or when
/// told to.
class Peer {
public:
  enum class State : std::uint8_t { closed, opening, open, ended, reset };

  Peer(Cable &cable, std::size_t connections);

  /// Asks for the server's hardware address, by which the server learns that of the clients.
  void introduce();
  /// Asks for a connection. The answer comes with take().
  void open(std::size_t connection);
  /// Sends a segment of up to 1,460 bytes. False if there is no room on the cable.
  bool send(std::size_t connection, std::span<const std::uint8_t> data, bool finish = false);
  void acknowledge(std::size_t connection);
  /// What it takes from now on: nothing, if it is 0. The server knows with the next segment.
  void set_window(std::size_t connection, std::uint16_t bytes);
  void reset(std::size_t connection);
  /// Forgets about a connection, whose port may be used again.
  void vanish(std::size_t connection);
  /// Any bytes at all.
  void send_frame(std::span<const std::uint8_t> frame);
  /// The segment that send() would send, to be damaged.
  [[nodiscard]] std::vector<std::uint8_t> segment(std::size_t connection,
                                                  std::span<const std::uint8_t> data);

  using Data = std::function<void(std::size_t connection, std::span<const std::uint8_t> data)>;
  /// Takes all that has come; `data` gets what is new, in order.
  void take(const Data &data);

  [[nodiscard]] State state(std::size_t connection) const { return connections_[connection].state; }
  /// Bytes that the server takes, of what it has not acknowledged.
  [[nodiscard]] std::size_t window(std::size_t connection) const;
  /// Connections that the server has ended or reset, and segments that were not what comes next.
  [[nodiscard]] std::size_t unexpected() const { return unexpected_; }

private:
  struct Connection {
    State state = State::closed;
    std::uint16_t port = 0;
    std::uint32_t next = 0;     // that it sends
    std::uint32_t expected = 0; // that it gets
    std::uint32_t taken_to = 0; // by the server
    std::uint16_t offered = 0;  // by the server
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
