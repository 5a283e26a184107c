// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef SEND_PEER_H
#define SEND_PEER_H

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "driver.h"

namespace sartor::send {

/// The host at the other end of a collecting link: answers for all neighbours, accepts connections,
/// and acknowledges data on request. It processes only IPv4 and ARP, without validation. It takes
/// the link's frames when one of its functions is called; one thread at a time.
class Peer {
public:
  /// Frames are also appended to `sent`, if it is not null. Both must outlive this object.
  Peer(Wire &wire, std::vector<std::vector<std::uint8_t>> *sent);
  ~Peer();
  Peer(const Peer &) = delete;
  Peer &operator=(const Peer &) = delete;

  /// Answers requests for addresses and connections until no more arrive.
  void answer();
  /// Acknowledges all data of the newest connection, with a window and, if given, another maximum
  /// segment size as an option of the segment.
  void acknowledge(std::uint16_t window, std::optional<std::uint16_t> largest_segment = {});
  /// Sets the next sequence number of the newest connection, when a driver drops its frames.
  void expect(std::uint32_t sequence);
  /// Changes the neighbours' hardware address to one with this last byte, and announces it.
  void move(std::uint8_t last_byte);

private:
  using Frame = std::vector<std::uint8_t>;
  struct Connection {
    std::uint32_t local_address, remote_address; // of the peer; of lwIP
    std::uint16_t local_port, remote_port;
    std::uint32_t next_sequence;   // the peer's next sequence number
    std::uint32_t acknowledgement; // the next one it expects
  };

  static void collect(void *peer, const std::uint8_t *frame, std::size_t size);
  void answer_to(const Frame &frame);
  void answer_arp(const Frame &request);
  void answer_tcp(const Frame &segment);
  void say_where(std::uint32_t address, const Frame &to);
  void send_segment(std::uint8_t flags, std::uint16_t window,
                    std::span<const std::uint8_t> options);

  Wire &wire_;
  std::vector<Frame> *sent_;
  std::vector<Frame> waiting_; // frames that wait for an answer
  std::optional<Connection> connection_;
  std::vector<std::uint8_t> last_arp_; // the last ARP request from lwIP
  std::uint8_t hardware_ = 2;          // the last byte of all neighbours' hardware addresses
};

} // namespace sartor::send

#endif
