/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Replaces watch.bpf.c if the kernel's functions may not be traced: detects system calls that
 * change maps. Changes by programs are not detected. */
#include <linux/bpf.h>
#include <linux/ptrace.h>

#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>

struct bpf_map {
  __u32 id;
} __attribute__((preserve_access_index));
struct file {
  void *private_data;
} __attribute__((preserve_access_index));
struct fdtable {
  unsigned max_fds;
  struct file **fd;
} __attribute__((preserve_access_index));
struct files_struct {
  struct fdtable *fdt;
} __attribute__((preserve_access_index));
struct task_struct {
  struct files_struct *files;
} __attribute__((preserve_access_index));

#include "bpf/watched.bpf.h"

struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, 4096);
  __type(key, __u64);   /* a thread */
  __type(value, __u32); /* the id of the map that it changes */
} under_way SEC(".maps");

const volatile __u64 call_number = 0;

static __always_inline int names_map(__u32 command) {
  return command == BPF_MAP_UPDATE_ELEM || command == BPF_MAP_DELETE_ELEM ||
         command == BPF_MAP_LOOKUP_AND_DELETE_ELEM;
}

static __always_inline int names_map_of_batch(__u32 command) {
  return command == BPF_MAP_UPDATE_BATCH || command == BPF_MAP_DELETE_BATCH ||
         command == BPF_MAP_LOOKUP_AND_DELETE_BATCH;
}

/* Returns the id of the map behind a descriptor; for other files, an arbitrary number. */
static __always_inline __u32 map_of(__u32 descriptor) {
  struct task_struct *task = (void *)bpf_get_current_task();
  struct fdtable *table = BPF_CORE_READ(task, files, fdt);
  struct file *file = 0;
  if (descriptor >= BPF_CORE_READ(table, max_fds))
    return 0;
  bpf_probe_read_kernel(&file, sizeof file, BPF_CORE_READ(table, fd) + descriptor);
  struct bpf_map *map = BPF_CORE_READ(file, private_data);
  return BPF_CORE_READ(map, id);
}

SEC("raw_tp/sys_enter") int before_call(struct bpf_raw_tracepoint_args *call) {
  if (call->args[1] != call_number)
    return 0;
  struct pt_regs *registers = (void *)call->args[0];
  const char *attributes = 0;
  __u64 command = 0;
  __u32 descriptor = 0;
  bpf_probe_read_kernel(&command, sizeof command, &PT_REGS_PARM1_SYSCALL(registers));
  bpf_probe_read_kernel(&attributes, sizeof attributes, &PT_REGS_PARM2_SYSCALL(registers));
  if (names_map_of_batch(command))
    attributes += __builtin_offsetof(union bpf_attr, batch.map_fd);
  else if (!names_map(command))
    return 0;
  bpf_probe_read_user(&descriptor, sizeof descriptor, attributes);
  const __u32 map = map_of(descriptor);
  const __u64 thread = bpf_get_current_pid_tgid();
  if (bump(map))
    bpf_map_update_elem(&under_way, &thread, &map, BPF_ANY);
  return 0;
}

SEC("raw_tp/sys_exit") int after_call(struct bpf_raw_tracepoint_args *call) {
  __u64 number = 0;
  const struct pt_regs *registers = (void *)call->args[0];
  bpf_probe_read_kernel(&number, sizeof number, &registers->orig_rax);
  if (number != call_number)
    return 0;
  const __u64 thread = bpf_get_current_pid_tgid();
  const __u32 *map = bpf_map_lookup_elem(&under_way, &thread);
  if (!map)
    return 0;
  bump(*map);
  bpf_map_delete_elem(&under_way, &thread);
  return 0;
}

char _license[] SEC("license") = "GPL";
