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
/// and acknowledges what has come when it is told to. It looks at IPv4 and ARP alone, and believes
/// what it gets. Takes what the link collects when it is asked to do something; one thread at a
/// time.
class Peer {
public:
  /// Frames go to `sent` as well, if it is not null. Both must outlive this.
  Peer(Wire &wire, std::vector<std::vector<std::uint8_t>> *sent);
  ~Peer();
  Peer(const Peer &) = delete;
  Peer &operator=(const Peer &) = delete;

  /// Answers requests for addresses and connections, until nothing comes any more.
  void answer();
  /// Acknowledges all data of the newest connection. With a window, and with another largest
  /// segment size, if that is given, as an option of the segment.
  void acknowledge(std::uint16_t window, std::optional<std::uint16_t> largest_segment = {});
  /// What comes next of the newest connection, where a driver drops what it is told.
  void expect(std::uint32_t sequence);
  /// Moves the neighbours to another hardware address, which ends with this, and says so.
  void move(std::uint8_t last_byte);

private:
  using Frame = std::vector<std::uint8_t>;
  struct Connection {
    std::uint32_t local_address, remote_address; // of the peer; of lwIP
    std::uint16_t local_port, remote_port;
    std::uint32_t next_sequence;   // that the peer sends
    std::uint32_t acknowledgement; // what it expects
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
  std::vector<Frame> waiting_; // for an answer
  std::optional<Connection> connection_;
  std::vector<std::uint8_t> last_arp_; // by which lwIP has asked
  std::uint8_t hardware_ = 2;          // the last byte of all neighbours' hardware addresses
};

} // namespace sartor::send

#endif
