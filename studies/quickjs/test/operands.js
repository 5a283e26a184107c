// Operators with operands of all kinds, in variables and in conditions.
std.loadScript("support/shown.js");
std.loadScript("support/operands.js");
for (const operator of ["+", "-", "<", "=="]) {
  const f = new Function("a", "b", `let v = a; v ${operator === "-" ? "-" : "+"}= b; let n = 0; for (let i = 0; i < 3; i++) if (a ${operator} b) n++; return [v, n].map(shown).join()`);
  globalThis.shown = shown;
  counter.n = 0;
  let line = operator;
  for (const a of values) for (const b of values) line += " " + tried(f, a, b);
  print(line);
}
for (const operation of ["-a", "+a", "~a", "!a", "++a", "a++", "--a", "a--", "typeof a"]) {
  const f = new Function("a", `const v = ${operation}; return [v, a].map(shown).join()`);
  counter.n = 0;
  print(operation, values.map(v => tried(f, v)).join(" "));
}

// Sums whose type changes in a loop.
function sums(values) {
  let s = 0, t = "", u = 0.5;
  for (const v of values) { s += v; t += v; u = u + v * 2; }
  return [s, t, u].map(shown).join(" ");
}
print(sums([1, 2, 3]), sums([2147483647, 1, 0.5]), sums(["a", 1]), tried(sums, [1n]), tried(sums, [1, thrower, 3]));
