/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * The filter of a savefile, specialized when it is hot. Belongs to a handle, and is as much of one
 * thread at a time as that is.
 */
#ifndef PSARTOR_H
#define PSARTOR_H

#include <pcap/pcap.h>
#include <sartor/program.h>

typedef u_int (*psartor_code)(const u_char *packet, u_int wirelen, u_int buflen);

/** All zero: no packet has been seen by this filter. */
struct psartor {
  u_int left;       /**< Packets to interpret, before all else. */
  psartor_code run; /**< Null: it has no code of its own. */
  sartor_program program;
};

/** The interpreter's loop: psartor_run.c. */
struct pcap_bpf_aux_data;
typedef u_int (*psartor_handler)(const struct bpf_insn *, const u_char *, u_int, u_int,
                                 const struct pcap_bpf_aux_data *);
u_int psartor_run(const struct bpf_insn *pc, const u_char *p, u_int wirelen, u_int buflen,
                  const struct pcap_bpf_aux_data *aux_data);

/** Begins to count packets; when they have been counted, asks for the filter's own code, if it can
 * have some; and looks whether it is there. */
void psartor_count(struct psartor *filter, const struct bpf_program *program);
/** Why a program has no result that code of its own would have to give; null if it has. */
const char *psartor_undefined(const struct bpf_program *program);
/** The program is about to be freed, or changed. Waits for nobody. */
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
