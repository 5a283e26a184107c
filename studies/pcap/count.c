/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** count FILTERS CAPTURE...: for each line of the file FILTERS and each capture, prints how many
 * packets are accepted and a hash of their positions. Does not use Sartor itself: it is run with
 * different libraries. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <pcap/pcap.h>

static void count(const char *filter, const char *name) {
  char why[PCAP_ERRBUF_SIZE];
  struct bpf_program program;
  struct pcap_pkthdr *header;
  const u_char *packet;
  pcap_t *capture = pcap_open_offline(name, why);
  if (!capture)
    return;
  if (pcap_compile(capture, &program, filter, 1, PCAP_NETMASK_UNKNOWN) == 0) {
    unsigned long accepted = 0;
    unsigned long places = 0;
    if (pcap_setfilter(capture, &program))
      printf("%s\n", pcap_geterr(capture));
    pcap_freecode(&program);
    while (pcap_next_ex(capture, &header, &packet) == 1) {
      ++accepted;
      places = places * 31 + (unsigned long)ftell(pcap_file(capture));
    }
    printf("%s: %s: %lu, %lx\n", strrchr(name, '/') ? strrchr(name, '/') + 1 : name, filter,
           accepted, places);
  } else
    printf("%s: %s: %s\n", name, filter, pcap_geterr(capture));
  pcap_close(capture);
}

int main(int argc, char **argv) {
  static char filter[1 << 16];
  FILE *filters = argc > 2 ? fopen(argv[1], "r") : NULL;
  if (!filters) {
    fprintf(stderr, "usage: count FILTERS CAPTURE...\n");
    return EXIT_FAILURE;
  }
  while (fgets(filter, sizeof filter, filters)) {
    filter[strcspn(filter, "\n")] = '\0';
    for (int i = 2; i < argc; ++i)
      count(filter, argv[i]);
  }
  fclose(filters);
  return EXIT_SUCCESS;
}
