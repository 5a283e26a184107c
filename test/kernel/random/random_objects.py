#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""random_objects.py CLANG PLUGIN INCLUDE PROGRAM WORK OBJECTS SEED: random BPF objects whose programs read and write
promised maps in every way that the kernel allows, compiled, and run by the program random_objects, generic against
variants. Ends with 1 if anything differs, with 77 where this process may not load programs into the kernel."""

import os
import random
import subprocess
import sys
from pathlib import Path

HEADER = """\
/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>
#include <sartor/points.h>
#include "value.h"
#define HASH(name) struct { __uint(type, BPF_MAP_TYPE_HASH); __uint(max_entries, 64); __type(key, __u32); \\
  __type(value, struct Value); } name SEC(".maps"); SARTOR_READ_MOSTLY(name)
HASH(table);
HASH(second);
struct { __uint(type, BPF_MAP_TYPE_ARRAY); __uint(max_entries, kKeys); __type(key, __u32);
  __type(value, struct Value); } list SEC(".maps");
SARTOR_READ_MOSTLY(list);
struct holder { struct Value *value; __u32 number; };
static __always_inline long put_inline(void *map, __u32 key, __u32 x) {
  struct Value value = {x, {x, 1}, x * 3};
  return bpf_map_update_elem(map, &key, &value, 0);
}
static __noinline long put_apart(void *map, __u32 key, __u32 x) {
  struct Value value = {x, {x, 2}, x * 5};
  return bpf_map_update_elem(map, &key, &value, 0);
}
static __noinline void store_apart(struct Value *value, __u32 x) { value->a = x; value->c += x; }
static __noinline void store_deeper(struct Value *value, __u32 x) { store_apart(value, x + 1); }
static __noinline void store_by_holder(struct holder *holder) { holder->value->b[1] = holder->number; }
static long change_each(void *map, __u32 *key, struct Value *value, void *unused) {
  if (*key & 1)
    value->a ^= 5;
  return 0;
}
static long delete_each(void *map, __u32 *key, struct Value *value, void *unused) {
  if (*key % 3 == 1)
    bpf_map_delete_elem(map, key);
  return 0;
}
static long put_in_loop(__u32 index, void *map_number) {
  if (*(__u32 *)map_number)
    put_inline(&table, index & 7, index + 40);
  else
    put_inline(&second, index & 7, index + 50);
  return 0;
}
"""
MAPS = ["table", "second", "list"]
BEGIN = """\
  __u8 *data = (void *)(long)ctx->data;
  if (data + 32 > (__u8 *)(long)ctx->data_end)
    return 1;
  __u32 key = data[0] & 7, x = data[1];
  struct Value *found;
"""


class Writer:
    def __init__(self, seed):
        self.draw = random.Random(seed)

    def pick(self, *choices):
        return self.draw.choice(choices)

    def map(self):
        return self.pick(*MAPS)

    def key(self):
        k = self.pick("key", f"{self.draw.randrange(8)}", f"data[{self.draw.randrange(2, 20)}] & 7")
        return f"key = {k};"

    def hashed(self):
        return self.pick("table", "second")

    def find(self, map_):
        return f"{self.key()} found = bpf_map_lookup_elem({map_}, &key);"

    def change_found(self):
        return self.pick(
            "found->a = x;", "found->b[x & 1] += 3;", "found->c ^= x * 77;", "((__u8 *)found)[5] = x;",
            "*(__u64 *)found = x;", "__sync_fetch_and_add(&found->a, 2);", "__sync_fetch_and_add(&found->c, x);",
            "store_apart(found, x);", "store_deeper(found, x);", "__builtin_memset(found, 1, 8);",
            "struct Value copy = *found; copy.a += 1; *found = copy;",
            "struct holder holder = {found, x}; store_by_holder(&holder);",
            "__u32 *at = &found->a; if (x & 1) at = (__u32 *)&found->c; *at = 9;",
            "bpf_xdp_load_bytes(ctx, 2, &found->b, 4);", "bpf_probe_read_kernel(&found->c, 8, found);",
            "struct Value *volatile kept = found; struct Value *again = kept; if (again) again->a += 2;",
        )  # fmt: skip

    def write(self):
        one, other = self.hashed(), self.hashed()
        return self.pick(
            f"{self.key()} put_inline(&{self.map()}, key, x);", f"{self.key()} put_apart(&{self.map()}, key, x);",
            f"{self.key()} put_inline(x & 1 ? (void *)&{one} : (void *)&{other}, key, x);",
            f"{self.key()} put_apart(x & 1 ? (void *)&{one} : (void *)&{other}, key, x + 1);",
            f"{self.key()} bpf_map_delete_elem(&{self.hashed()}, &key);",
            f"{self.key()} void *map = &{self.hashed()}; bpf_map_delete_elem(map, &key);",
            f"bpf_for_each_map_elem(&{self.hashed()}, change_each, 0, 0);",
            f"bpf_for_each_map_elem(&{self.hashed()}, delete_each, 0, 0);",
            f"__u32 which = {self.draw.randrange(2)}; bpf_loop(3, put_in_loop, &which, 0);",
            *[f"{self.find('&' + self.map())} if (found) {{ {self.change_found()} }}" for _ in range(6)],
            f"{self.find(f'x & 1 ? (void *)&{one} : (void *)&{other}')} if (found) {{ {self.change_found()} }}",
        )  # fmt: skip

    def read(self):
        return self.pick(
            f"{self.find('&' + self.map())} if (found) sum = sum * 31 + found->a + found->b[x & 1];",
            f"{self.find('&' + self.map())} sum += found ? found->c : 7;",
            f"{self.find('&' + self.map())} if (found && found->a == {self.draw.randrange(5)}) sum ^= found->b[0];",
            f"for (__u32 i = 0; i < kKeys; ++i) {{ key = i; found = bpf_map_lookup_elem(&{self.map()}, &key);"
            " if (found) sum += found->a * (i + 1); }",
            f"{self.find('&' + self.map())} if (found) {{ struct Value copy = *found; sum += copy.c + copy.b[1]; }}",
            f"{self.find('&' + self.map())} if (found) data[{self.draw.randrange(2, 30)}] = found->a;",
            f'sum += sartor_range("p{self.draw.randrange(3)}", (int)(data[3] & 3), 0, 3) * 11;',
            f"{self.find('&' + self.map())} if (found) {{ key = found->a & 7; found = bpf_map_lookup_elem(&{self.map()}, &key);"
            " sum += found ? found->b[0] : 3; }",
        )  # fmt: skip

    def program(self):
        text = HEADER
        for i in range(self.draw.randrange(2, 5)):
            body = "\n".join(f"  {{ {self.write()} }}" for _ in range(self.draw.randrange(1, 4)))
            text += f'SEC("xdp") int write{i}(struct xdp_md *ctx) {{\n{BEGIN}{body}\n  return 2;\n}}\n'
        for i in range(2):
            statements = [self.read() for _ in range(self.draw.randrange(1, 5))]
            if self.draw.randrange(4) == 0:
                statements.insert(self.draw.randrange(len(statements) + 1), self.write())
            body = "\n".join(f"  {{ {each} }}" for each in statements)
            text += f'SEC("xdp") SARTOR_HANDLER int read{i}(struct xdp_md *ctx) {{\n{BEGIN}  __u64 sum = 1;\n{body}\n'
            text += "  return (int)(sum ^ sum >> 32);\n}\n"
        return text + 'char _license[] SEC("license") = "GPL";\n'


def main():
    clang, plugin, include, program, work, objects, seed = sys.argv[1:8]
    if os.geteuid() != 0:
        print("skipped: only root may load programs into the kernel")
        sys.exit(77)
    work = Path(work)
    work.mkdir(parents=True, exist_ok=True)
    here = Path(__file__).resolve().parent
    made = []
    for number in range(int(objects)):
        source = work / f"object{int(seed) * 100_000 + number}.bpf.c"
        source.write_text(Writer(int(seed) * 100_000 + number).program())
        command = [clang, "-target", "bpf", "-mcpu=v3", "-O2", "-g", "-w", "-DSARTOR_POINTS=1", f"-I{include}", f"-I{here}",
                   "-idirafter", "/usr/include/x86_64-linux-gnu", f"-fpass-plugin={plugin}", "-c", str(source),
                   "-o", str(source.with_suffix(".o"))]  # fmt: skip
        subprocess.run(command, check=True)
        made.append(str(source.with_suffix(".o")))
    done = subprocess.run([program, seed, *made], check=False)
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
