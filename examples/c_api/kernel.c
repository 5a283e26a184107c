/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A handler in the Linux kernel. examples/xdp attaches the same handler, in C++, with traffic. */
#include <arpa/inet.h>
#include <stdint.h>

#include <sartor/bpf/bpf.h>
#include <sartor/bpf/object.h>

#include "failed.h"

SARTOR_BPF_OBJECT(filter);

int main(void) {
  const size_t bytes = (size_t)(sartor_bpf_object_filter_end - sartor_bpf_object_filter);
  const struct {
    uint32_t address;
    uint16_t port, unused;
  } peer = {inet_addr("10.0.0.2"), htons(4000), 0};
  const uint64_t bytes_at_most = 1000;
  sartor_bpf_runtime *filter = NULL;
  char *reported = NULL, *name = NULL;
  int changed = 0;
  const sartor_status opened = sartor_bpf_open(sartor_bpf_object_filter, bytes, NULL, &filter);
  if (opened == SARTOR_ERROR_NOT_PERMITTED) {
    printf("%s\n", sartor_last_error());
    return 77;
  }
  must(opened);

  must(sartor_bpf_declare_invariant(filter, "peers", SARTOR_BPF_OURS));
  must(sartor_bpf_specialize(filter, "{\"words\": 5}"));
  must(sartor_bpf_active(filter, "filter", &reported));
  must(sartor_json_text(reported, "/name", &name));
  printf("active: %s\n", name);

  must(sartor_bpf_update(filter, "peers", &peer, sizeof peer, &bytes_at_most,
                         sizeof bytes_at_most)); /* takes effect at once */
  must(sartor_bpf_refresh(filter, &changed));
  printf("recompiled: %d\n", changed);

  sartor_free(name);
  sartor_free(reported);
  sartor_bpf_close(filter);
  return 0;
}
