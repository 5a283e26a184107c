/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** The filter of a savefile, specialized when it is hot. Belongs to a handle and has the same
 * thread-safety: one thread at a time. */
#ifndef PSARTOR_H
#define PSARTOR_H

#include <pcap/pcap.h>
#include <sartor/guest_program.h>

typedef u_int (*psartor_code)(const u_char *packet, u_int wirelen, u_int buflen);

/** Initialized to zero: no packet has been filtered yet. */
struct psartor {
  u_int left;       /**< Packets to interpret before the next check. */
  psartor_code run; /**< Null: the filter has no specialized code. */
  sartor_guest_program program;
};

/** The interpreter's loop: psartor_run.c. */
struct pcap_bpf_aux_data;
typedef u_int (*psartor_handler)(const struct bpf_insn *, const u_char *, u_int, u_int,
                                 const struct pcap_bpf_aux_data *);
u_int psartor_run(const struct bpf_insn *pc, const u_char *p, u_int wirelen, u_int buflen,
                  const struct pcap_bpf_aux_data *aux_data);

/** Starts to count packets; when enough have been counted, requests specialized code if the
 * filter allows it; later checks whether the code is ready. */
void psartor_count(struct psartor *filter, const struct bpf_program *program);
/** The reason why a program's result is undefined, so that it cannot be compiled; null if it is
 * defined. */
const char *psartor_undefined(const struct bpf_program *program);
/** Must be called before the program is freed or changed. Does not block. */
void psartor_release(struct psartor *filter);

u_int pcap_filter(const struct bpf_insn *, const u_char *, u_int, u_int);
static inline u_int psartor_filter(struct psartor *filter, const struct bpf_program *program,
                                   const u_char *packet, u_int wirelen, u_int buflen) {
  if (!filter->left) {
    if (!filter->run)
      psartor_count(filter, program);
    if (filter->run)
      return filter->run(packet, wirelen, buflen);
  }
  --filter->left;
  return pcap_filter(program->bf_insns, packet, wirelen, buflen);
}

#endif
