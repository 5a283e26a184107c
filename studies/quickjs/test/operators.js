// Operators with operands of all kinds, on the stack.
std.loadScript("support/shown.js");
std.loadScript("support/operands.js");
const binary = ["+", "-", "*", "/", "%", "**", "&", "|", "^", "<<", ">>", ">>>", "<", "<=", ">", ">=", "==", "!=", "===", "!=="];
for (const operator of binary) {
  const f = new Function("a", "b", `return a ${operator} b`);
  counter.n = 0;
  let line = operator;
  for (const a of values) for (const b of values) line += " " + tried(f, a, b);
  print(line);
}
