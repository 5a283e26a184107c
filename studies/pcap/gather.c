/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** gather OUTPUT CAPTURE...: concatenates the packets of all Ethernet captures into one file. */
#include <stdio.h>
#include <stdlib.h>

#include <pcap/pcap.h>

int main(int argc, char **argv) {
  char why[PCAP_ERRBUF_SIZE];
  pcap_t *ethernet = pcap_open_dead(DLT_EN10MB, 262144);
  pcap_dumper_t *output = argc > 2 ? pcap_dump_open(ethernet, argv[1]) : NULL;
  if (!output) {
    fprintf(stderr, "usage: gather OUTPUT CAPTURE...\n");
    return EXIT_FAILURE;
  }
  for (int i = 2; i < argc; ++i) {
    pcap_t *capture = pcap_open_offline(argv[i], why);
    if (!capture)
      continue; /* some captures are invalid on purpose */
    if (pcap_datalink(capture) == DLT_EN10MB)
      pcap_loop(capture, -1, pcap_dump, (u_char *)output);
    pcap_close(capture);
  }
  const int failed = pcap_dump_flush(output);
  pcap_dump_close(output);
  pcap_close(ethernet);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
