// harness.js PROGRAM [TIMES]: runs a program of programs/ some times, and then once for each line that it is sent. Prints what it
// computes once, and the processor time of each further run in seconds.
import * as std from "qjs:std";
import * as os from "qjs:os";
const [, program, times] = scriptArgs;
std.loadScript(program);
let result;
for (let i = 0; i < (times || 10); i++) result = globalThis.run();
print(result);
std.out.flush();
while (std.in.getline() !== null) {
  const began = os.cputime();
  const again = globalThis.run();
  const ended = os.cputime();
  if (again !== result) throw new Error("another result");
  print((ended - began) / 1e6);
  std.out.flush();
}
