// harness.js PROGRAM ROUNDS: prints what run() returns, and with ROUNDS > 1 the milliseconds of the rounds after half of them.
import * as std from "qjs:std";
import * as os from "qjs:os";
const [, program, rounds] = scriptArgs;
std.loadScript(program);
const times = [];
let result;
for (let i = 0; i < (rounds || 1); i++) {
  const began = os.now();
  result = globalThis.run();
  times.push(os.now() - began);
}
print(result);
if (rounds > 1) std.err.puts(times.slice(times.length / 2).sort((a, b) => a - b)[times.length >> 2] / 1000 + "\n");
