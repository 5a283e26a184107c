/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Handlers in the kernel, from C. */
#define _GNU_SOURCE /* unshare() */
#include <sartor/bpf/bpf.h>
#include <sartor/bpf/object.h>

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

#include "check.h"
#include "lookups.h"
#include "packet.h"

SARTOR_BPF_OBJECT(points);
SARTOR_BPF_OBJECT(maps);
#define OBJECT(name)                                                                               \
  sartor_bpf_object_##name, (size_t)(sartor_bpf_object_##name##_end - sartor_bpf_object_##name)

/* Exit status that ctest counts as skipped. */
enum { skipped = 77 };

static sartor_bpf_runtime *open_points(const char *options) {
  sartor_bpf_runtime *runtime = NULL;
  REQUIRE(sartor_bpf_open(OBJECT(points), options, &runtime) == SARTOR_OK);
  return runtime;
}

static sartor_bpf_runtime *open_maps(void) {
  sartor_bpf_runtime *runtime = NULL;
  REQUIRE(sartor_bpf_open(OBJECT(maps), NULL, &runtime) == SARTOR_OK);
  return runtime;
}

/* Enters a network namespace of its own; true if this process may load a program there. */
static int may_be_loaded(void) {
  sartor_bpf_runtime *runtime = NULL;
  const sartor_status status = sartor_bpf_open(OBJECT(points), NULL, &runtime);
  sartor_bpf_close(runtime);
  if (status != SARTOR_ERROR_NOT_PERMITTED && unshare(CLONE_NEWNET) == 0)
    return 1;
  printf("skipped: %s\n", status == SARTOR_OK ? strerror(errno) : sartor_last_error());
  return 0;
}

/* Runs a program on a packet. */
static void run(int program, void *packet, size_t bytes) {
  unsigned char in[128] = {0};
  unsigned char out[256];
  LIBBPF_OPTS(bpf_test_run_opts, options, .data_in = in, .data_size_in = 64, .data_out = out,
              .data_size_out = sizeof out);
  if (bytes > 64)
    options.data_size_in = (__u32)bytes;
  memcpy(in, packet, bytes);
  CHECK(bpf_prog_test_run_opts(program, &options) == 0);
  memcpy(packet, out, bytes);
}

static __u64 sum_by(int program, __u8 rounds, __u32 scale) {
  struct Packet packet = {.rounds = rounds, .step = 1, .scale = scale, .key = 7};
  run(program, &packet, sizeof packet);
  return packet.sum;
}

static __u64 listed_by(const sartor_bpf_runtime *runtime, __u32 index) {
  struct Lookups lookups = {.index = index};
  int program = -1;
  CHECK(sartor_bpf_program(runtime, "look", &program) == SARTOR_OK);
  run(program, &lookups, sizeof lookups);
  return lookups.by_index;
}

static double number(const char *json, const char *pointer) {
  double value = -1;
  CHECK(sartor_json_number(json, pointer, &value) == SARTOR_OK);
  return value;
}

static void expect_reported(char *json, const char *part) {
  CHECK(json && strstr(json, part) != NULL);
  if (json && !strstr(json, part))
    fprintf(stderr, "%s is not in %s\n", part, json);
  sartor_free(json);
}

static void specializes(void) {
  sartor_bpf_runtime *runtime = open_points("{\"name\":\"of_c\",\"compile_timeout\":20}");
  int generic = -1, program = -1, map = -1;
  uint64_t failed = 0;
  char *json = NULL;
  CHECK(sartor_bpf_handlers(runtime, &json) == SARTOR_OK);
  expect_reported(json, "\"points\"");
  CHECK(sartor_bpf_space(runtime, &json) == SARTOR_OK);
  expect_reported(json, "\"rounds\"");
  CHECK(sartor_bpf_specialize(runtime, "{\"scale\":500}") == SARTOR_OK);
  CHECK(sartor_bpf_generic_program(runtime, "points", &generic) == SARTOR_OK);
  CHECK(sartor_bpf_program(runtime, "points", &program) == SARTOR_OK && program != generic);
  CHECK(sartor_bpf_map(runtime, "counts", &map) == SARTOR_OK && map >= 0);
  CHECK(sum_by(program, 3, 500) == sum_by(generic, 3, 500));
  CHECK(sum_by(program, 8, 8) == sum_by(generic, 8, 8));
  CHECK(sartor_bpf_guard_failures(runtime, "scale", &failed) == SARTOR_OK && failed == 1);
  CHECK(sartor_bpf_active(runtime, "points", &json) == SARTOR_OK);
  CHECK(number(json, "/verified_instructions") > number(json, "/instructions"));
  CHECK(number(json, "/configuration/scale") == 500);
  expect_reported(json, "\"points._scale_500_\"");
  CHECK(sartor_bpf_specialize_with_report(runtime, "{}", &json) == SARTOR_OK);
  expect_reported(json, "\"name\":\"at_tc\"");
  sartor_bpf_close(runtime);
}

static void profiles(void) {
  sartor_bpf_runtime *runtime = open_points(NULL);
  int program = -1;
  char *json = NULL;
  double share = 0;
  CHECK(sartor_bpf_instrument(runtime, "[\"rounds\"]", 1) == SARTOR_OK);
  CHECK(sartor_bpf_program(runtime, "points", &program) == SARTOR_OK);
  for (int i = 0; i < 4; ++i)
    sum_by(program, i < 3 ? 3 : 8, 1);
  CHECK(sartor_bpf_profile(runtime, &json) == SARTOR_OK);
  CHECK(sartor_profile_share(json, "rounds", 1, &share) == SARTOR_OK && share == 0.75);
  sartor_free(json);
  sartor_bpf_close(runtime);
}

static void invariants(void) {
  sartor_bpf_runtime *runtime = open_maps();
  const __u32 index = 3;
  const struct Found value = {77, 1, {0}};
  const struct Found other = {4711, 1, {0}};
  const struct Key key = {1, 1, 1, 1};
  int changed = 7;
  char *json = NULL;
  CHECK(sartor_bpf_update(runtime, "list", &index, sizeof index, &value, sizeof value) ==
        SARTOR_OK);
  CHECK(sartor_bpf_update(runtime, "table", &key, sizeof key, &value, sizeof value) == SARTOR_OK);
  CHECK(sartor_bpf_erase(runtime, "table", &key, sizeof key) == SARTOR_OK);
  CHECK(sartor_bpf_declare_invariant(runtime, "list", SARTOR_BPF_OURS) == SARTOR_OK);
  CHECK(sartor_bpf_specialize(runtime, "{}") == SARTOR_OK);
  CHECK(listed_by(runtime, index) == 77);
  CHECK(sartor_bpf_update(runtime, "list", &index, sizeof index, &other, sizeof other) ==
        SARTOR_OK);
  CHECK(listed_by(runtime, index) == 4711);
  CHECK(sartor_bpf_refresh(runtime, &changed) == SARTOR_OK && changed == 1);
  CHECK(sartor_bpf_refresh(runtime, &changed) == SARTOR_OK && changed == 0);
  CHECK(sartor_bpf_refresh(runtime, NULL) == SARTOR_OK);
  CHECK(sartor_bpf_maps(runtime, &json) == SARTOR_OK);
  expect_reported(json, "\"invariant_writers\":\"ours\"");
  CHECK(sartor_bpf_declare_invariant(runtime, "list", SARTOR_BPF_POLLED) == SARTOR_OK);
  CHECK(sartor_bpf_maps(runtime, &json) == SARTOR_OK);
  expect_reported(json, "\"invariant_writers\":\"polled\"");
  CHECK(sartor_bpf_revoke(runtime, "list") == SARTOR_OK);
  CHECK(listed_by(runtime, index) == 4711);

  CHECK(sartor_bpf_declare_invariant(runtime, "nothing", SARTOR_BPF_WATCHED) ==
        SARTOR_ERROR_BAD_BPF_OBJECT);
  CHECK(sartor_bpf_declare_invariant(runtime, "unmarked", SARTOR_BPF_OURS) ==
        SARTOR_ERROR_BAD_INVARIANT);
  CHECK(sartor_bpf_declare_invariant(runtime, "list", (enum sartor_bpf_writers)9) ==
        SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(sartor_bpf_update(runtime, "list", &index, 3, &value, sizeof value) ==
        SARTOR_ERROR_BAD_BPF_OBJECT);
  sartor_bpf_close(runtime);
}

/* An object that the program has loaded itself. */
static void adopts(void) {
  const char *bytes = (const char *)sartor_bpf_object_points;
  const size_t size = (size_t)(sartor_bpf_object_points_end - sartor_bpf_object_points);
  sartor_bpf_runtime *runtime = NULL;
  libbpf_set_print(NULL); /* it would warn of Sartor's section */
  struct bpf_object *object = bpf_object__open_mem(bytes, size, NULL);
  REQUIRE(object != NULL);
  CHECK(sartor_bpf_adopt(object, bytes, size, NULL, &runtime) == SARTOR_ERROR_BAD_BPF_OBJECT);
  REQUIRE(bpf_object__load(object) == 0);
  CHECK(sartor_bpf_adopt(object, NULL, size, NULL, &runtime) == SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(sartor_bpf_adopt(NULL, bytes, size, NULL, &runtime) == SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(sartor_bpf_adopt(object, bytes, size, "{\"pins\":\"/sys/fs/bpf/x\"}", &runtime) ==
        SARTOR_ERROR_BAD_ARGUMENT);
  REQUIRE(sartor_bpf_adopt(object, bytes, size, NULL, &runtime) == SARTOR_OK);
  struct bpf_program *points = bpf_object__find_program_by_name(object, "points");
  int generic = -1;
  CHECK(sartor_bpf_generic_program(runtime, "points", &generic) == SARTOR_OK);
  CHECK(generic == bpf_program__fd(points));
  struct bpf_link *link = bpf_program__attach_xdp(points, 1);
  REQUIRE(link != NULL);
  CHECK(sartor_bpf_attach_link(runtime, "points", bpf_link__fd(link)) == SARTOR_OK);
  CHECK(sartor_bpf_attach_link(runtime, "points", -1) == SARTOR_ERROR_BAD_ATTACHMENT);
  CHECK(sartor_bpf_attach_link(runtime, "nobody", bpf_link__fd(link)) ==
        SARTOR_ERROR_UNKNOWN_HANDLER);
  CHECK(sartor_bpf_specialize(runtime, "{\"scale\":500}") == SARTOR_OK);
  CHECK(sartor_bpf_detach(runtime, "points") == SARTOR_OK);
  sartor_bpf_close(runtime);
  sum_by(generic, 3, 500); /* the program remains the caller's */
  bpf_link__destroy(link);
  bpf_object__close(object);
}

/* Writers that do not use the runtime. */
static void watches(void) {
  sartor_bpf_runtime *runtime = open_maps();
  const __u32 index = 3;
  const struct Found value = {4711, 1, {0}};
  int map = -1;
  const sartor_status status = sartor_bpf_declare_invariant(runtime, "list", SARTOR_BPF_WATCHED);
  CHECK(status == SARTOR_OK || status == SARTOR_ERROR_KERNEL_LACKS);
  CHECK(sartor_bpf_specialize(runtime, "{}") == SARTOR_OK);
  CHECK(sartor_bpf_map(runtime, "list", &map) == SARTOR_OK);
  CHECK(listed_by(runtime, index) == 0);
  CHECK(bpf_map_update_elem(map, &index, &value, BPF_ANY) == 0);
  CHECK(listed_by(runtime, index) == 4711);
  sartor_bpf_close(runtime);
}

struct MadeFrom {
  const sartor_bpf_runtime *runtime;
  int asked;
};

/* The number that the list had when the code was made, plus a thousand, which shows in results. */
static int words(const sartor_generator_input *point, sartor_generated_code *code, void *user) {
  struct MadeFrom *from = user;
  const __u32 index = 3;
  struct Found found = {0};
  int map = -1;
  ++from->asked;
  CHECK(sartor_bpf_map(from->runtime, "list", &map) == SARTOR_OK);
  CHECK(bpf_map_lookup_elem(map, &index, &found) == 0);
  char text[128];
  (void)snprintf(text, sizeof text, "unsigned long specialized(unsigned i) { return %llu; }",
                 (unsigned long long)found.word + 1000);
  CHECK(strcmp(point->label, "word") == 0);
  sartor_generate(code, SARTOR_LANGUAGE_C, text, NULL, NULL);
  return 0;
}

static __u64 generated_by(const sartor_bpf_runtime *runtime) {
  struct Lookups lookups = {.index = 3};
  int program = -1;
  CHECK(sartor_bpf_program(runtime, "generated", &program) == SARTOR_OK);
  run(program, &lookups, sizeof lookups);
  return lookups.sum;
}

static void generates(void) {
  sartor_bpf_runtime *runtime = open_maps();
  struct MadeFrom from = {runtime, 0};
  const __u32 index = 3;
  const struct Found value = {77, 1, {0}};
  const char *set = "{\"word\":1}";
  CHECK(sartor_bpf_add_custom(runtime, "words", "[1,2]", words, &from) == SARTOR_OK);
  CHECK(sartor_bpf_tie(runtime, "word", "list") == SARTOR_OK);
  CHECK(sartor_bpf_specialize(runtime, set) == SARTOR_ERROR_BAD_INVARIANT); /* not declared */
  CHECK(sartor_bpf_declare_invariant(runtime, "list", SARTOR_BPF_OURS) == SARTOR_OK);
  CHECK(sartor_bpf_specialize(runtime, set) == SARTOR_OK);
  CHECK(generated_by(runtime) == 1000);
  CHECK(sartor_bpf_update(runtime, "list", &index, sizeof index, &value, sizeof value) ==
        SARTOR_OK);
  CHECK(generated_by(runtime) == 77);
  CHECK(sartor_bpf_refresh(runtime, NULL) == SARTOR_OK);
  CHECK(generated_by(runtime) == 1077 && from.asked == 2);

  CHECK(sartor_bpf_add_custom(runtime, "words", NULL, NULL, NULL) == SARTOR_ERROR_BAD_GENERATOR);
  CHECK(sartor_bpf_add_custom(runtime, "words", "{", words, &from) == SARTOR_ERROR_BAD_JSON);
  CHECK(sartor_bpf_tie(runtime, "wood", "list") == SARTOR_ERROR_UNKNOWN_LABEL);
  CHECK(sartor_bpf_tie(runtime, "word", "nothing") == SARTOR_ERROR_BAD_BPF_OBJECT);
  sartor_bpf_close(runtime);
}

/* Objective that reads the active configuration: the middle value is best. */
static double middle_is_best(void *user) {
  char *json = NULL;
  double rounds = 0;
  CHECK(sartor_bpf_active(user, "points", &json) == SARTOR_OK);
  if (strstr(json, "rounds\":"))
    rounds = number(json, "/configuration/rounds");
  sartor_free(json);
  return rounds == 3 ? 2 : 1;
}

static void tunes(void) {
  sartor_bpf_runtime *runtime = open_points(NULL);
  const char *candidates = "[{\"rounds\":8},{\"rounds\":3}]";
  char *best = NULL;
  CHECK(sartor_bpf_autotune(runtime, candidates, middle_is_best, runtime, "{\"seed\":7}", &best) ==
        SARTOR_OK);
  CHECK(best && strcmp(best, "{\"rounds\":3}") == 0);
  CHECK(middle_is_best(runtime) == 2);
  sartor_free(best);
  CHECK(sartor_bpf_autotune(runtime, candidates, middle_is_best, runtime, NULL, NULL) == SARTOR_OK);
  CHECK(sartor_bpf_autotune(runtime, "[]", middle_is_best, runtime, NULL, NULL) ==
        SARTOR_ERROR_BAD_JSON);
  CHECK(sartor_bpf_autotune(runtime, candidates, NULL, NULL, NULL, NULL) ==
        SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(sartor_bpf_autotune(runtime, candidates, middle_is_best, runtime, "{\"sead\":7}", NULL) !=
        SARTOR_OK);
  sartor_bpf_close(runtime);
}

static void attaches(void) {
  sartor_bpf_runtime *runtime = open_points(NULL);
  sartor_bpf_runtime *other = open_points(NULL);
  const int filtered = socket(AF_INET, SOCK_DGRAM, 0);
  sartor_status status;
  CHECK(sartor_bpf_attach_xdp(runtime, "points", "lo") == SARTOR_OK);
  CHECK(sartor_bpf_attach_xdp(other, "points", "lo") == SARTOR_ERROR_BAD_ATTACHMENT);
  CHECK(strcmp(sartor_last_error_subject(), "points at lo") == 0);
  CHECK(sartor_bpf_detach(runtime, "points") == SARTOR_OK);
  CHECK(sartor_bpf_attach_xdp(other, "points", "lo") == SARTOR_OK);
  CHECK(sartor_bpf_attach_slot(other, "points", "slots", 1) == SARTOR_OK);
  CHECK(sartor_bpf_attach_slot(other, "points", "slots", 9) != SARTOR_OK);
  CHECK(sartor_bpf_attach_socket(runtime, "at_socket", filtered) == SARTOR_OK);
  CHECK(sartor_bpf_attach_cgroup(runtime, "at_group", "/nowhere") != SARTOR_OK);
  for (int egress = 0; egress < 2; ++egress) {
    status = sartor_bpf_attach_tc(runtime, "at_tc", "lo", egress);
    CHECK(status == SARTOR_OK || status == SARTOR_ERROR_KERNEL_LACKS); /* requires Linux 6.6 */
  }
  CHECK(sartor_bpf_detach(runtime, "nobody") == SARTOR_ERROR_UNKNOWN_HANDLER);
  close(filtered);
  sartor_bpf_close(other);
  sartor_bpf_close(runtime);
}

static void reports_mistakes(void) {
  sartor_bpf_runtime *runtime = NULL;
  const char *const options[] = {"[]",
                                 "{",
                                 "{\"nam\":\"x\"}",
                                 "{\"name\":1}",
                                 "{\"compile_timeout\":0}",
                                 "{\"compile_timeout\":1e9}",
                                 "{\"compile_timeout\":\"1\"}"};
  char *json = NULL;
  int number_of = 7;
  for (size_t i = 0; i < sizeof options / sizeof *options; ++i)
    CHECK(sartor_bpf_open(OBJECT(points), options[i], &runtime) == SARTOR_ERROR_BAD_JSON);
  CHECK(sartor_bpf_open(sartor_bpf_object_points, 100, NULL, &runtime) ==
        SARTOR_ERROR_BAD_BPF_OBJECT);
  CHECK(sartor_bpf_open(NULL, 0, NULL, &runtime) == SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(sartor_bpf_open_file("/nowhere.bpf.o", NULL, &runtime) == SARTOR_ERROR_FILE_ERROR);
  CHECK(!runtime);
  CHECK(sartor_bpf_handlers(NULL, &json) == SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(sartor_bpf_refresh(NULL, NULL) == SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(sartor_bpf_specialize(NULL, "{}") == SARTOR_ERROR_BAD_ARGUMENT);
  runtime = open_points(NULL);
  CHECK(sartor_bpf_specialize(runtime, NULL) == SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(sartor_bpf_specialize(runtime, "{") == SARTOR_ERROR_BAD_JSON);
  CHECK(sartor_bpf_specialize(runtime, "{\"round\":3}") == SARTOR_ERROR_UNKNOWN_LABEL);
  CHECK(strstr(sartor_last_error_remedy(), "rounds") != NULL);
  CHECK(sartor_bpf_instrument(runtime, "{\"rounds\":1}", 1) == SARTOR_ERROR_BAD_JSON);
  CHECK(sartor_bpf_instrument(runtime, "[1]", 1) == SARTOR_ERROR_BAD_JSON);
  CHECK(sartor_bpf_instrument(runtime, "[\"rounds\"]", 0) == SARTOR_ERROR_BAD_VALUE_TYPE);
  CHECK(sartor_bpf_program(runtime, "nobody", &number_of) == SARTOR_ERROR_UNKNOWN_HANDLER);
  CHECK(sartor_bpf_map(runtime, "nothing", &number_of) == SARTOR_ERROR_BAD_BPF_OBJECT);
  CHECK(sartor_bpf_map(runtime, NULL, &number_of) == SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(sartor_bpf_active(runtime, NULL, &json) == SARTOR_ERROR_BAD_ARGUMENT);
  CHECK(!json && number_of == 7);
  sartor_bpf_close(runtime);
  sartor_bpf_close(NULL);
}

int main(void) {
  if (!may_be_loaded())
    return skipped;
  specializes();
  profiles();
  invariants();
  adopts();
  watches();
  generates();
  tunes();
  attaches();
  reports_mistakes();
  if (failures == 0)
    puts("all is well");
  return failures != 0;
}
