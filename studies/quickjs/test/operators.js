// Operators with operands of all kinds, on the stack, in variables and in conditions.
const thrower = { valueOf() { throw new Error("valueOf"); }, toString() { return "thrower"; } };
const counter = { n: 0, valueOf() { return ++this.n; } };
const values = [0, -0, 1, -1, 7, 2147483647, -2147483648, 1.5, -0.25, NaN, Infinity, 1e300, "", "1", "abc", "abc".repeat(5000),
  true, null, undefined, 1n, -5n, 12345678901234567890n, {}, [2], thrower, counter, Symbol.iterator];
function shown(v) {
  if (typeof v === "string" && v.length > 40) return "string of " + v.length;
  if (typeof v === "symbol") return "symbol";
  if (typeof v === "bigint") return v + "n";
  return Object.is(v, -0) ? "-0" : String(v);
}
function tried(f, ...operands) {
  try {
    return shown(f(...operands));
  } catch (e) {
    return e.name + ": " + e.message + " " + e.stack.split("\n")[0].replace(/.*:(\d+:\d+).*/, "$1").trim();
  }
}
const binary = ["+", "-", "*", "/", "%", "**", "&", "|", "^", "<<", ">>", ">>>", "<", "<=", ">", ">=", "==", "!=", "===", "!=="];
for (const operator of binary) {
  const f = new Function("a", "b", `return a ${operator} b`);
  counter.n = 0;
  let line = operator;
  for (const a of values) for (const b of values) line += " " + tried(f, a, b);
  print(line);
}
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
