/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/** speed memory|file CAPTURE FILTER: measures a filter's processor time per packet, on packets
 * in memory or including reading the file. Writes how many packets of how many it accepts; then,
 * for each line of input, nanoseconds per packet. An empty FILTER with `file` means no filter.
 * Linked statically with one of several libpcaps, which may lack psartor_filter(). PLACE bytes
 * shift all code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <pcap-int.h>

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)
__asm__(".text\n.skip " TEXT(PLACE));

#ifdef PSARTOR_H
#define accepts(p, packet, header)                                                                 \
  psartor_filter(&(p)->psartor, &(p)->fcode, packet, (header)->len, (header)->caplen)
#else
#define accepts(p, packet, header)                                                                 \
  pcap_filter((p)->fcode.bf_insns, packet, (header)->len, (header)->caplen)
#endif

enum { MOST = 1 << 16, NANOSECONDS = 5000000 /* target duration of a run */ };
static struct pcap_pkthdr headers[MOST];
static u_char *packets[MOST];
static unsigned count;

static void fail(const char *what) {
  fprintf(stderr, "speed: %s\n", what);
  exit(EXIT_FAILURE);
}

static pcap_t *open_capture(const char *name, const char *filter) {
  char why[PCAP_ERRBUF_SIZE];
  struct bpf_program program;
  pcap_t *capture = pcap_open_offline(name, why);
  if (!capture)
    fail(why);
  if (*filter) {
    if (pcap_compile(capture, &program, filter, 1, PCAP_NETMASK_UNKNOWN) ||
        pcap_setfilter(capture, &program))
      fail(pcap_geterr(capture));
    pcap_freecode(&program);
  }
  return capture;
}

static void take(u_char *unused, const struct pcap_pkthdr *header, const u_char *packet) {
  (void)unused;
  if (count == MOST)
    fail("too many packets");
  headers[count] = *header;
  packets[count] = malloc(header->caplen + 1);
  memcpy(packets[count++], packet, header->caplen);
}

/* Returns the sum of the results, so that no call is optimized away. */
static unsigned run_in_memory(pcap_t *capture) {
  unsigned accepted = 0;
  for (unsigned i = 0; i < count; ++i)
    accepted += accepts(capture, packets[i], &headers[i]) != 0;
  return accepted;
}

static void add(u_char *accepted, const struct pcap_pkthdr *header, const u_char *packet) {
  (void)header;
  (void)packet;
  ++*(unsigned *)accepted;
}
static unsigned run_of_file(pcap_t *capture, long start) {
  unsigned accepted = 0;
  fseek(pcap_file(capture), start, SEEK_SET);
  if (pcap_loop(capture, -1, add, (u_char *)&accepted))
    fail(pcap_geterr(capture));
  return accepted;
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return (double)time.tv_sec * 1e9 + (double)time.tv_nsec;
}

int main(int argc, char **argv) {
  char line[16];
  if (argc != 4)
    fail("speed memory|file CAPTURE FILTER");
  const int of_file = argv[1][0] == 'f';
  pcap_t *all = open_capture(argv[2], "");
  pcap_loop(all, -1, take, NULL);
  pcap_close(all);
  pcap_t *capture = open_capture(argv[2], argv[3]);
  const long start = ftell(pcap_file(capture));
#define run() (of_file ? run_of_file(capture, start) : run_in_memory(capture))

  const unsigned accepted = run(); /* hot from now on */
  const double before = now();
  run();
  const double once = now() - before;
  const unsigned rounds = once < NANOSECONDS ? (unsigned)(NANOSECONDS / once) + 1 : 1;
  printf("%u of %u\n", accepted, count);
  fflush(stdout);
  while (fgets(line, sizeof line, stdin)) {
    const double begin = now();
    for (unsigned i = 0; i < rounds; ++i)
      if (run() != accepted)
        fail("another result");
    printf("%.4f\n", (now() - begin) / rounds / count);
    fflush(stdout);
  }
  return EXIT_SUCCESS;
}
