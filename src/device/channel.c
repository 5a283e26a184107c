/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "device/channel.h"

#include <sodium.h>
#include <string.h>

enum { tag = crypto_aead_chacha20poly1305_ietf_ABYTES, hint = 8, most_hints = 16 };

void sartor_hash(unsigned char *hash, const struct sartor_part *parts, size_t count) {
  crypto_generichash_state hasher;
  crypto_generichash_init(&hasher, NULL, 0, SARTOR_DEVICE_HASH);
  for (size_t i = 0; i < count; ++i) {
    unsigned char length[8];
    for (unsigned byte = 0; byte < 8; ++byte)
      length[byte] = (unsigned char)((uint64_t)parts[i].size >> 8 * byte);
    crypto_generichash_update(&hasher, length, sizeof length);
    crypto_generichash_update(&hasher, parts[i].bytes, parts[i].size);
  }
  crypto_generichash_final(&hasher, hash, SARTOR_DEVICE_HASH);
}

static void put_nonce(unsigned char *nonce, uint64_t number) {
  memset(nonce, 0, crypto_aead_chacha20poly1305_ietf_NPUBBYTES);
  for (unsigned i = 0; i < 8; ++i)
    nonce[crypto_aead_chacha20poly1305_ietf_NPUBBYTES - 8 + i] = (unsigned char)(number >> 8 * i);
}

int sartor_channel_send(struct sartor_channel *channel, unsigned kind, const void *body,
                        size_t size) {
  const size_t sealed = size + 1 + (channel->is_sealed ? tag : 0);
  struct sartor_writer *frame = &channel->sent;
  if (sealed > UINT32_MAX)
    return 0;
  frame->size = 0;
  sartor_put_number(frame, sealed, 4);
  sartor_put_number(frame, kind, 1);
  sartor_put(frame, body, size);
  if (channel->is_sealed)
    sartor_extend(frame, tag);
  if (frame->failed) {
    sartor_forget(frame);
    return 0;
  }
  if (channel->is_sealed) {
    unsigned char nonce[crypto_aead_chacha20poly1305_ietf_NPUBBYTES];
    put_nonce(nonce, channel->sent_frames++);
    crypto_aead_chacha20poly1305_ietf_encrypt(frame->bytes + 4, NULL, frame->bytes + 4, size + 1,
                                              NULL, 0, NULL, nonce, channel->send_key);
  }
  return sartor_link_send(&channel->link, frame->bytes, frame->size);
}

/* Returns the frame's length; zero on failure. */
static size_t receive_bytes(struct sartor_channel *channel) {
  unsigned char begin[4];
  if (!sartor_link_receive(&channel->link, begin, sizeof begin))
    return 0;
  const uint64_t length = sartor_number_at(begin, 4);
  if (length == 0 || length > channel->most_frame)
    return 0;
  channel->frame.size = 0;
  unsigned char *bytes = sartor_extend(&channel->frame, (size_t)length);
  if (!bytes) {
    sartor_forget(&channel->frame);
    return 0;
  }
  return sartor_link_receive(&channel->link, bytes, (size_t)length) ? (size_t)length : 0;
}

int sartor_channel_receive(struct sartor_channel *channel) {
  size_t length = receive_bytes(channel);
  if (length == 0)
    return -1;
  struct sartor_writer *frame = &channel->frame;
  if (channel->is_sealed) {
    unsigned char nonce[crypto_aead_chacha20poly1305_ietf_NPUBBYTES];
    put_nonce(nonce, channel->received_frames++);
    if (length <= tag ||
        crypto_aead_chacha20poly1305_ietf_decrypt(frame->bytes, NULL, NULL, frame->bytes, length,
                                                  NULL, 0, nonce, channel->receive_key) != 0)
      return -2;
    length -= tag;
  }
  const int kind = frame->bytes[0];
  memmove(frame->bytes, frame->bytes + 1, length - 1);
  frame->size = length - 1;
  return kind;
}

/* True if one of the server's keys has signed the answer to this message. */
static int is_signed(struct sartor_channel *channel, const unsigned char *server_keys, size_t count,
                     const struct sartor_part *message) {
  static const char about[] = "Sartor's channel, 1: ";
  unsigned char text[sizeof about - 1 + SARTOR_DEVICE_HASH];
  const unsigned char *shown = channel->frame.bytes;
  const unsigned char *key = shown + crypto_kx_PUBLICKEYBYTES;
  const struct sartor_part parts[] = {*message, {shown, crypto_kx_PUBLICKEYBYTES}, {key, 32}};
  int is_known = 0;
  for (size_t i = 0; i < count; ++i)
    is_known |= memcmp(key, server_keys + 32 * i, 32) == 0;
  memcpy(text, about, sizeof about - 1);
  sartor_hash(text + sizeof about - 1, parts, 3);
  return is_known && crypto_sign_ed25519_verify_detached(key + 32, text, sizeof text, key) == 0;
}

enum sartor_channel_state sartor_channel_open(struct sartor_channel *channel,
                                              const unsigned char *server_keys, size_t count) {
  unsigned char message[crypto_kx_PUBLICKEYBYTES + hint * most_hints];
  unsigned char secret[crypto_kx_SECRETKEYBYTES];
  struct sartor_part said = {message, crypto_kx_PUBLICKEYBYTES};
  channel->is_sealed = 0;
  channel->received_frames = channel->sent_frames = 0;
  crypto_kx_keypair(message, secret);
  for (size_t i = 0; i < count && i < most_hints; ++i, said.size += hint)
    memcpy(message + said.size, server_keys + 32 * i, hint);
  enum sartor_channel_state state = SARTOR_CHANNEL_LOST;
  if (sartor_channel_send(channel, SARTOR_FRAME_OPEN, message, said.size) &&
      sartor_channel_receive(channel) == SARTOR_FRAME_OPENED &&
      channel->frame.size == crypto_kx_PUBLICKEYBYTES + 32 + SARTOR_DEVICE_SIGNATURE) {
    const struct sartor_part both[] = {said, {channel->frame.bytes, channel->frame.size}};
    state = SARTOR_CHANNEL_FORGED;
    if (is_signed(channel, server_keys, count, &said) &&
        crypto_kx_client_session_keys(channel->receive_key, channel->send_key, message, secret,
                                      channel->frame.bytes) == 0) {
      memcpy(channel->server_key, channel->frame.bytes + crypto_kx_PUBLICKEYBYTES, 32);
      sartor_hash(channel->binding, both, 2);
      channel->is_sealed = 1;
      state = SARTOR_CHANNEL_OPEN;
    }
  }
  sodium_memzero(secret, sizeof secret);
  return state;
}

void sartor_channel_close(struct sartor_channel *channel) {
  sartor_link_close(&channel->link);
  sartor_forget(&channel->frame);
  sartor_forget(&channel->sent);
  sodium_memzero(channel->receive_key, sizeof channel->receive_key);
  sodium_memzero(channel->send_key, sizeof channel->send_key);
}
