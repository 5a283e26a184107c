#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compiler_options.py CLANG PLUGIN INCLUDE LIBRARY SUPPRESSIONS WORK: handlers compiled with options that add code.

Each option is one of the table in docs/guides/building.md. A variant gives what native code gives, a failing guard runs
the hooks that a native call runs, and a remark names each option whose code a variant does not have.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

HANDLERS = """
#include <sartor/points.h>
__attribute__((noinline)) static int inner(int x) { return x * 3; }
SARTOR_HANDLER long work(int x, int rounds) {
  const int n = sartor_enum("rounds", rounds, 1, 2, 4);
  long sum = 0;
  for (int i = 0; i < n; ++i)
    sum += inner(x + i);
  return sum;
}
"""

MAIN = """
#include <stdio.h>
#include <sartor/c/sartor.h>
long work(int x, int rounds);
static long entered, left;
#define UNHOOKED __attribute__((no_instrument_function, no_sanitize("coverage")))
UNHOOKED void __cyg_profile_func_enter(void *function, void *caller) { ++entered; }
UNHOOKED void __cyg_profile_func_exit(void *function, void *caller) { ++left; }
UNHOOKED void __cyg_profile_func_enter_bare(void) { ++entered; }
static void tell(const char *name, long (*called)(int, int), int rounds) {
  const long entered_before = entered, left_before = left, result = called(1, rounds);
  printf("\\"%s\\": [%ld, %ld, %ld], ", name, result, entered - entered_before, left - left_before);
}
int main(void) {
  sartor_runtime *runtime;
  void (*function)(void);
  char *told;
  if (sartor_open(&runtime) || sartor_handler(runtime, "work", &function) ||
      sartor_specialize_with_report(runtime, "{\\"rounds\\": 4}", &told)) {
    printf("%s\\n", sartor_last_error());
    return 1;
  }
  printf("{");
  tell("native 4", work, 4);
  tell("variant 4", (long (*)(int, int))function, 4);
  tell("native 2", work, 2);
  tell("failed guard", (long (*)(int, int))function, 2);
  printf("\\"told\\": %s}\\n", told);
  sartor_free(told);
  sartor_close(runtime);
  return 0;
}
"""

SAME, LEFT_OUT = "as native code", "left out, with a remark"
# Options, the treatment of the code that they add, and the options for linking the program.
OPTIONS = [
    ([], SAME, []),
    (["-finstrument-functions"], LEFT_OUT, []),
    (["-finstrument-functions-after-inlining"], LEFT_OUT, []),
    (["-finstrument-function-entry-bare"], LEFT_OUT, []),
    (["-pg"], LEFT_OUT, ["-pg"]),
    (["-pg", "-mfentry"], LEFT_OUT, ["-pg"]),
    (["-fxray-instrument", "-fxray-instruction-threshold=1"], LEFT_OUT, ["-fxray-instrument"]),
    (["-fpatchable-function-entry=4"], LEFT_OUT, []),
    (["--coverage"], LEFT_OUT, ["--coverage"]),
    (["-fprofile-instr-generate", "-fcoverage-mapping"], LEFT_OUT, ["-fprofile-instr-generate"]),
    (["-fprofile-generate"], LEFT_OUT, ["-fprofile-generate"]),
    (["-fcs-profile-generate"], LEFT_OUT, ["-fprofile-generate"]),
    (["-fsanitize-coverage=trace-pc-guard"], LEFT_OUT, ["-fsanitize=undefined"]),
    (["-fsanitize-coverage=inline-8bit-counters,pc-table"], LEFT_OUT, ["-fsanitize=undefined"]),
    (["-fsanitize=address"], LEFT_OUT, ["-fsanitize=address"]),
    (["-fsanitize=thread"], LEFT_OUT, ["-fsanitize=thread"]),
    (["-fsanitize=type"], LEFT_OUT, ["-fsanitize=type"]),
    (["-fsanitize=undefined"], SAME, ["-fsanitize=undefined"]),
    (["-fsanitize=leak"], SAME, ["-fsanitize=leak"]),
    (["-fsanitize=realtime"], SAME, ["-fsanitize=realtime"]),  # for functions that are declared to be nonblocking
    (["-fstack-protector-all"], SAME, []),
    (["-fstack-clash-protection"], SAME, []),
    (["-fcf-protection=full"], SAME, []),
    (["-ftrivial-auto-var-init=zero"], SAME, []),
    (["-ftrapv"], SAME, []),
    (["-fzero-call-used-regs=used"], SAME, []),
]
# The option that a remark names, if it is not the first word.
NAMED = {
    "-finstrument-function-entry-bare": "-finstrument-functions",
    "-fsanitize-coverage=trace-pc-guard": "-fsanitize-coverage",
    "-fsanitize-coverage=inline-8bit-counters,pc-table": "-fsanitize-coverage",
    "-fpatchable-function-entry=4": "-fpatchable-function-entry",
}


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **more)


def problem_of(tools, options, becomes, link, work):
    plugin = [f"-fplugin={tools.plugin}", f"-fpass-plugin={tools.plugin}"]
    compile_ = [tools.clang, "-w", "-O2", "-fPIC", f"-I{tools.include}"]
    sanitizer = [word for word in link if word.startswith("-fsanitize=") and word != "-fsanitize=type"]
    made = run([*compile_, "-DSARTOR_POINTS=1", *plugin, *options, "-c", "handlers.c", "-o", "handlers.o"], cwd=work)
    made = made if made.returncode else run([*compile_, *sanitizer, "-c", "main.c", "-o", "main.o"], cwd=work)
    library = Path(tools.library)
    words = [tools.clang, "-fuse-ld=lld", "-rdynamic", "handlers.o", "main.o", str(library), *link, "-o", "program"]
    made = made if made.returncode else run([*words, f"-Wl,-rpath,{library.parent}"], cwd=work)
    if made.returncode:
        return "does not build: " + made.stderr.strip()[:500]
    environment = {**os.environ, "TSAN_OPTIONS": f"suppressions={tools.suppressions}"}
    done = run(["./program"], cwd=work, env=environment)
    if done.returncode or not done.stdout.startswith("{"):
        return f"ends with {done.returncode}: {done.stdout[:500]}{done.stderr[:1500]}"
    reported = json.loads(done.stdout)
    if reported["variant 4"][0] != reported["native 4"][0] or reported["failed guard"][0] != reported["native 2"][0]:
        return f"gives something else: {reported}"
    if reported["failed guard"][1:] != reported["native 2"][1:]:
        return f"a failing guard runs other hooks than a native call: {reported}"
    remarks = [each for variant in reported["told"] for each in variant["remarks"] if each["code"] == "hooks_left_out"]
    if becomes == SAME:
        return f"there is a remark: {remarks}" if remarks else ""
    if reported["variant 4"][1:] != [0, 0]:
        return f"a variant runs hooks: {reported}"
    named = NAMED.get(options[0], options[0])
    return "" if remarks and named in remarks[0]["message"] else f"no remark names {named}: {reported['told']}"


def main():
    tools = type("Tools", (), dict(zip(("clang", "plugin", "include", "library", "suppressions"), sys.argv[1:6])))
    work = Path(sys.argv[6])
    work.mkdir(parents=True, exist_ok=True)
    (work / "handlers.c").write_text(HANDLERS)
    (work / "main.c").write_text(MAIN)
    failed = 0
    for options, becomes, link in OPTIONS:
        problem = problem_of(tools, options, becomes, link, work)
        failed += bool(problem)
        print(f"{' '.join(options) or 'no option'}: {problem or becomes}", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
