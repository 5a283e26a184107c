/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** The interpreter's loop compiled again as a handler, in its own file, so that bpf_filter.c is
 * compiled by the usual compiler. */
#ifdef HAVE_CONFIG_H
#include <config.h>
#endif

#include <sartor/points.h>

#define pcap_filter_with_aux_data psartor_run
#include <pcap-int.h>

SARTOR_HANDLER u_int psartor_run(const struct bpf_insn *, const u_char *, u_int, u_int,
                                 const struct pcap_bpf_aux_data *);

#define PSARTOR_LOOP_ALONE
#include "bpf_filter.c"
