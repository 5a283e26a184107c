/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The batch loop of a function's handler. Included by the native source of each function. */
#ifndef SARTOR_STUDY_NF_POLL_H
#define SARTOR_STUDY_NF_POLL_H

#include <sartor/points.h>

#include "io.h"
#include "parse.h"

/* Looks a flow up with NAME_find(), which a variant answers directly for popular flows (see
 * NAME_at()). Each use needs a label of its own. In BPF this is NAME_find() alone. */
#define NF_FIND(name, label, table, key, hash, at_once)                                            \
  name##_at(table, key, hash, at_once,                                                             \
            sartor_fast_path_versioned(                                                            \
                label, &(table)->version, name##_place, table, nf_key_word(key, sizeof *(key), 0), \
                nf_key_word(key, sizeof *(key), 1), (uint64_t)(hash) << 32 | (at_once)))

/* Defines the handler
 *     uint32_t NAME_poll(struct NfIo *io, enum NfSide side)
 * which reads a batch of a port, processes it and sends the results. Returns the number of
 * packets. Its configuration and state are the global variables NAME_config and NAME_state, so
 * that a variant for all callers knows their addresses. For each packet NAME_prepare() finds the
 * table key and prefetches the entry; after all packets are prepared, NAME_packet() gives each
 * its verdict. The function defines both; they are all that native code and BPF share. */
#define NF_POLL(name, Name) NF_POLL_PARSED_BY(nf_parse, name, Name)

/* The same for a function with its own parser. */
#define NF_POLL_PARSED_BY(parse, name, Name)                                                       \
  SARTOR_HANDLER uint32_t name##_poll(struct NfIo *io, enum NfSide side) {                         \
    const struct Name##Config *config = &name##_config;                                            \
    struct Name##State *state = &name##_state;                                                     \
    const uint32_t batch =                                                                         \
        sartor_enum(#name ".BATCH_SIZE", io->batch, 1, 2, 4, 8, 16, 32, 64, 128, 256);             \
    const uint32_t ahead = sartor_enum(#name ".PREFETCH", io->ahead, 0, 1, 2, 4, 8, 16);           \
    const uint32_t at_once = sartor_enum(#name ".PROBE", io->at_once, 4, 8, 16, 32);               \
    struct NfPacket *packets = io->packets;                                                        \
    const uint32_t count = io->receive(io, side, packets, batch);                                  \
    const uint64_t now = io->now(io);                                                              \
    for (uint32_t i = 0; i < count; ++i) {                                                         \
      if (ahead != 0 && i + ahead < count)                                                         \
        __builtin_prefetch(packets[i + ahead].data, 1);                                            \
      packets[i].side = (uint8_t)side;                                                             \
      packets[i].form = (uint8_t)parse(&packets[i]);                                               \
      name##_prepare(config, state, &packets[i]);                                                  \
    }                                                                                              \
    for (uint32_t i = 0; i < count; ++i)                                                           \
      packets[i].verdict = (uint8_t)name##_packet(config, state, &packets[i], now, at_once);       \
    io->send(io, side, packets, count);                                                            \
    return count;                                                                                  \
  }

#endif
