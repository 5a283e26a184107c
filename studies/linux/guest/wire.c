/* SPDX-License-Identifier: GPL-2.0-only */
#include "wire.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "guest.h"

enum { at_ip = 14, at_id = at_ip + 4, at_checksum = at_ip + 10 };

struct wire wire;
unsigned wire_frames;
static int packets;
static int first_id; /* -1: not known */

void wire_open(void) {
  const int room = 1 << 23;
  packets = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL));
  if (packets < 0 || setsockopt(packets, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room) != 0)
    fail("packet socket");
}

void wire_begin(void) {
  wire_read();
  wire.size = wire.count = 0;
  first_id = -1;
}

void wire_connected(void) {
  wire_read();
  first_id = -1;
}

static unsigned word(const unsigned char *at) { return (unsigned)(at[0] << 8 | at[1]); }

/* Checks the checksum of an IP header, and takes it and the count of packets out of the frame. */
static void normalize(unsigned char *frame, size_t size) {
  unsigned sum = 0;
  const size_t header = size > at_ip ? (frame[at_ip] & 15u) * 4 : 0;
  if (size < at_ip + 20 || word(frame + 12) != ETH_P_IP || at_ip + header > size)
    return;
  for (size_t i = 0; i < header; i += 2)
    sum += word(frame + at_ip + i);
  sum = (sum & 0xffff) + (sum >> 16);
  sum = (sum & 0xffff) + (sum >> 16);
  const unsigned id = word(frame + at_id);
  if (first_id < 0)
    first_id = (int)id;
  const unsigned since = (id - (unsigned)first_id) & 0xffff;
  frame[at_id] = (unsigned char)(since >> 8);
  frame[at_id + 1] = (unsigned char)since;
  frame[at_checksum] = sum == 0xffff; /* right */
  frame[at_checksum + 1] = 0;
}

/* ICMP, with a count of packets in what it quotes. */
static int is_answer(const unsigned char *frame, size_t size) {
  return size > at_ip + 9 && word(frame + 12) == ETH_P_IP && frame[at_ip + 9] == 1;
}

void wire_read(void) {
  for (;;) {
    struct sockaddr_ll from;
    socklen_t length = sizeof from;
    if (wire.count == wire_most_frames || wire_most_bytes - wire.size < 1 << 17)
      fail("too many frames");
    const ssize_t size = recvfrom(packets, wire.bytes + wire.size, 1 << 17,
                                  MSG_DONTWAIT | MSG_TRUNC, (struct sockaddr *)&from, &length);
    if (size < 0 && (errno == EAGAIN || errno == ENETDOWN))
      break;
    if (size < 0)
      fail("packets");
    if (from.sll_pkttype != PACKET_OUTGOING || is_answer(wire.bytes + wire.size, (size_t)size))
      continue;
    normalize(wire.bytes + wire.size, (size_t)size);
    wire.frames[wire.count].begin = wire.size;
    wire.frames[wire.count].size = (size_t)size;
    wire.frames[wire.count++].interface = from.sll_ifindex;
    wire.size += (size_t)size;
    ++wire_frames;
  }
}

static void print(const char *what, const struct wire *of, size_t frame) {
  printf("%s interface %d, %zu bytes:", what, of->frames[frame].interface, of->frames[frame].size);
  for (size_t i = 0; i < of->frames[frame].size && i < 64; ++i)
    printf(" %02x", of->bytes[of->frames[frame].begin + i]);
  puts("");
}

int wire_differs(uint64_t sequence, const struct wire *before) {
  const size_t common = before->count < wire.count ? before->count : wire.count;
  for (size_t i = 0; i < common; ++i)
    if (before->frames[i].size != wire.frames[i].size ||
        before->frames[i].interface != wire.frames[i].interface ||
        memcmp(before->bytes + before->frames[i].begin, wire.bytes + wire.frames[i].begin,
               wire.frames[i].size) != 0) {
      printf("DIFFERS sequence %llu frame %zu of %zu\n", (unsigned long long)sequence, i, common);
      print("generic", before, i);
      print("token", &wire, i);
      return 1;
    }
  if (before->count != wire.count)
    printf("DIFFERS sequence %llu: %zu frames, by token %zu\n", (unsigned long long)sequence,
           before->count, wire.count);
  return before->count != wire.count;
}
