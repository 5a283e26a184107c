/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/**
 * filter_changes WHAT CAPTURE: sets, replaces and removes filters in unusual ways. The packets that
 * are read must be those that bpf_filter(), the interpreter, accepts. Uses libpcap's public
 * interface alone.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <pcap/pcap.h>

static char *bytes; /* of the capture */
static size_t size;

static void fail(const char *what) {
  fprintf(stderr, "filter_changes: %s\n", what);
  exit(EXIT_FAILURE);
}

static void load(const char *name) {
  FILE *file = fopen(name, "rb");
  if (!file)
    fail("there is no capture");
  fseek(file, 0, SEEK_END);
  size = (size_t)ftell(file);
  rewind(file);
  bytes = malloc(size);
  if (fread(bytes, 1, size, file) != size)
    fail("the capture cannot be read");
  fclose(file);
}

static pcap_t *open_capture(void) {
  char why[PCAP_ERRBUF_SIZE];
  pcap_t *capture = pcap_fopen_offline(fmemopen(bytes, size, "rb"), why);
  if (!capture)
    fail(why);
  return capture;
}

static struct bpf_program compile(pcap_t *capture, const char *filter) {
  struct bpf_program program;
  if (pcap_compile(capture, &program, filter, 1, PCAP_NETMASK_UNKNOWN))
    fail(pcap_geterr(capture));
  return program;
}

/* The handle copies the filter: the caller may overwrite its own. */
static void set(pcap_t *capture, const char *filter) {
  struct bpf_program program = compile(capture, filter);
  if (pcap_setfilter(capture, &program))
    fail(pcap_geterr(capture));
  memset(program.bf_insns, 0xff, program.bf_len * sizeof *program.bf_insns);
  pcap_freecode(&program);
}

/* A capture that is read without a filter and then filtered by the interpreter. */
struct plain {
  pcap_t *capture;
  struct bpf_program program;
};
static struct plain open_plain(const char *filter) {
  struct plain plain = {open_capture(), {0, NULL}};
  plain.program = compile(plain.capture, filter);
  return plain;
}
static void replace(struct plain *plain, const char *filter) {
  pcap_freecode(&plain->program);
  plain->program = compile(plain->capture, filter);
}
static void close_plain(struct plain *plain) {
  pcap_freecode(&plain->program);
  pcap_close(plain->capture);
}
/* Reads the next packet that is accepted; returns 0 at the end. */
static int next_plain(struct plain *plain, struct pcap_pkthdr *header) {
  struct pcap_pkthdr *found;
  const u_char *packet;
  while (pcap_next_ex(plain->capture, &found, &packet) == 1)
    if (bpf_filter(plain->program.bf_insns, packet, found->len, found->caplen)) {
      *header = *found;
      return 1;
    }
  return 0;
}

/* Reads at most so many packets and compares them with the interpreter's. Returns their number.
 */
static int read_same(pcap_t *capture, struct plain *plain, int most) {
  struct pcap_pkthdr *found;
  struct pcap_pkthdr expected;
  const u_char *packet;
  for (int count = 0; count < most; ++count) {
    const int is_there = pcap_next_ex(capture, &found, &packet) == 1;
    if (!is_there && next_plain(plain, &expected))
      fail("a packet is missing");
    if (!is_there)
      return count;
    if (!next_plain(plain, &expected) || memcmp(&found->ts, &expected.ts, sizeof found->ts) ||
        found->len != expected.len)
      fail("another packet is accepted");
  }
  return most;
}

static const char *const filters[] = {"tcp and port 179", "udp or arp", "host 10.0.0.1",
                                      "ip[2:2] > 100 and not tcp", "ip6 or vlan"};
enum {
  FILTERS = sizeof filters / sizeof *filters,
  ALL = 1 << 30,
  MOST_INSTRUCTIONS = 4096 /* the limit of the kernel */
};

static void read_whole(const char *filter) {
  pcap_t *capture = open_capture();
  struct plain plain = open_plain(filter);
  set(capture, filter);
  read_same(capture, &plain, ALL);
  close_plain(&plain);
  pcap_close(capture);
}

/* Replaces the filter in the middle of the file, repeatedly. Both readers are behind the last
 * accepted packet. */
static void replaced(void) {
  pcap_t *capture = open_capture();
  struct plain plain = open_plain(filters[0]);
  set(capture, filters[0]);
  for (int i = 1; read_same(capture, &plain, 40) == 40; ++i) {
    set(capture, filters[i % FILTERS]);
    replace(&plain, filters[i % FILTERS]);
  }
  close_plain(&plain);
  pcap_close(capture);
}

static void replace_from_inside(u_char *user, const struct pcap_pkthdr *header,
                                const u_char *packet) {
  static int i;
  (void)header;
  (void)packet;
  if (++i % 50 == 0)
    set((pcap_t *)user, filters[i / 50 % FILTERS]);
}
static void replaced_from_inside(void) {
  pcap_t *capture = open_capture();
  set(capture, filters[1]);
  if (pcap_loop(capture, -1, replace_from_inside, (u_char *)capture))
    fail(pcap_geterr(capture));
  pcap_close(capture);
}

/* Another filter each time, so that each must be compiled. */
static void closed_while_compiling(void) {
  for (int i = 0; i < 60; ++i) {
    char filter[100];
    snprintf(filter, sizeof filter, "host 10.0.%d.1 or tcp port %d or ip[8] = %d", i, i + 1, i);
    pcap_t *capture = open_capture();
    struct plain plain = open_plain(filter);
    set(capture, filter);
    read_same(capture, &plain, 2 + i % 3);
    pcap_close(capture);
    close_plain(&plain);
  }
  read_whole(filters[0]);
}

static void *read_often(void *number) {
  for (int i = 0; i < 10; ++i)
    read_whole(filters[(size_t)number % FILTERS]);
  return NULL;
}
static void threads(void) {
  pthread_t made[6];
  for (size_t i = 0; i < 6; ++i)
    if (pthread_create(&made[i], NULL, read_often, (void *)i))
      fail("no thread");
  for (size_t i = 0; i < 6; ++i)
    pthread_join(made[i], NULL);
}

/* The child continues with the existing code, sets other filters, and has them compiled. */
static void forked(void) {
  pcap_t *capture = open_capture();
  struct plain plain = open_plain(filters[1]);
  set(capture, filters[1]);
  read_same(capture, &plain, 200);
  const pid_t child = fork();
  read_same(capture, &plain, ALL);
  read_whole(filters[3]);
  close_plain(&plain);
  pcap_close(capture);
  if (child == 0)
    exit(EXIT_SUCCESS);
  int status = 1;
  if (waitpid(child, &status, 0) != child || status != 0)
    fail("the child has failed");
}

static void empty(void) {
  struct bpf_program none = {0, NULL};
  pcap_t *capture = open_capture();
  struct plain plain = open_plain("");
  if (pcap_setfilter(capture, &none) != -1)
    fail("a program of no instructions is set");
  set(capture, "");
  if (read_same(capture, &plain, ALL) < 1000)
    fail("no packets");
  close_plain(&plain);
  pcap_close(capture);
}

/* A chain of jumps, as many as the kernel accepts. */
static void full(void) {
  static struct bpf_insn code[MOST_INSTRUCTIONS];
  struct bpf_program program = {MOST_INSTRUCTIONS, code};
  pcap_t *capture = open_capture();
  struct plain plain = open_plain("");
  for (int i = 0; i < MOST_INSTRUCTIONS - 2; ++i) {
    const struct bpf_insn load = BPF_STMT(BPF_LD | BPF_H | BPF_ABS, (u_int)(i / 2 % 60));
    const struct bpf_insn jump =
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (u_int)(i * 7919 % 65536), 0, 0);
    code[i] = i % 2 ? jump : load;
  }
  /* Returns the lowest bit of the last value that was loaded. */
  const struct bpf_insn add = BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 1);
  const struct bpf_insn end = BPF_STMT(BPF_RET | BPF_A, 0);
  code[MOST_INSTRUCTIONS - 2] = add;
  code[MOST_INSTRUCTIONS - 1] = end;
  pcap_freecode(&plain.program);
  plain.program.bf_len = MOST_INSTRUCTIONS;
  plain.program.bf_insns = malloc(sizeof code);
  memcpy(plain.program.bf_insns, code, sizeof code);
  if (pcap_setfilter(capture, &program))
    fail(pcap_geterr(capture));
  if (read_same(capture, &plain, ALL) < 100)
    fail("no packets");
  close_plain(&plain);
  pcap_close(capture);
}

/* These filters are valid, but their results are undefined in C. Only the interpreter runs them.
 */
static void undefined(void) {
  struct bpf_insn shift[] = {BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0),
                             BPF_STMT(BPF_ALU | BPF_LSH | BPF_K, 33),
                             BPF_STMT(BPF_ALU | BPF_OR | BPF_K, 1),
                             BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 1), BPF_STMT(BPF_RET | BPF_A, 0)};
  struct bpf_insn scratch[] = {BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0),
                               BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 100, 1, 0),
                               BPF_STMT(BPF_ST, 5),
                               BPF_STMT(BPF_LD | BPF_MEM, 5),
                               BPF_STMT(BPF_ALU | BPF_OR | BPF_K, 1),
                               BPF_STMT(BPF_RET | BPF_A, 0)};
  struct bpf_program programs[] = {{5, shift}, {6, scratch}};
  for (int i = 0; i < 2; ++i) {
    pcap_t *capture = open_capture();
    struct plain plain = open_plain("");
    if (pcap_setfilter(capture, &programs[i]))
      fail(pcap_geterr(capture));
    read_same(capture, &plain, ALL); /* both accept all packets */
    close_plain(&plain);
    pcap_close(capture);
  }
}

/* The program belongs to the caller, who changes it without notice. */
static void offline(void) {
  struct plain plain = open_plain(filters[0]);
  struct bpf_program other = compile(plain.capture, filters[1]);
  struct pcap_pkthdr *header;
  const u_char *packet;
  for (int i = 0; pcap_next_ex(plain.capture, &header, &packet) == 1; ++i) {
    const struct bpf_program *now = i % 100 < 50 ? &plain.program : &other;
    struct bpf_insn code[100];
    struct bpf_program changed = {now->bf_len, code};
    memcpy(code, now->bf_insns, now->bf_len * sizeof *code);
    if ((u_int)pcap_offline_filter(&changed, header, packet) !=
        bpf_filter(now->bf_insns, packet, header->len, header->caplen))
      fail("another result");
  }
  pcap_freecode(&other);
  close_plain(&plain);
}

static void whole(void) { read_whole(filters[2]); }

int main(int argc, char **argv) {
  static const struct {
    const char *name;
    void (*run)(void);
  } roads[] = {{"replaced", replaced},
               {"replaced_from_inside", replaced_from_inside},
               {"closed_while_compiling", closed_while_compiling},
               {"threads", threads},
               {"forked", forked},
               {"empty", empty},
               {"full", full},
               {"undefined", undefined},
               {"offline", offline},
               {"whole", whole}};
  if (argc != 3)
    fail("filter_changes WHAT CAPTURE");
  load(argv[2]);
  for (size_t i = 0; i < sizeof roads / sizeof *roads; ++i)
    if (!strcmp(argv[1], roads[i].name)) {
      roads[i].run();
      printf("%s: the same\n", argv[1]);
      return EXIT_SUCCESS;
    }
  fail("there is no such way");
}
