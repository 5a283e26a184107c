// Calls of all kinds, and global variables.
std.loadScript("support/shown.js");

function own(a, b, c) { a = a + 1; arguments[1] = 5; return [a, b, c, arguments.length, [...arguments]].join(); }
function many(a, b, c, d, e, f, g, h, i, j) { j = a; a = h; return [a, b, c, d, e, f, g, h, i, j, arguments.length].join(); }
function kept(a) { const text = "kept"; own(a, text, 3); many(a, text); return a + text; }
function callers(f, x) { return [f(), f(x), f(x, 2), f(x, 2, 3, 4), f(x, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11)].join(";"); }
const bound = own.bind(null, 40);
const proxy = new Proxy(own, { apply: (f, self, given) => "proxy " + f(...given) });
for (const f of [own, many, kept, bound, proxy, Math.max, String, parseInt, (...rest) => rest.length, (a = 3, { b } = { b: 4 }) => a + b])
  print(callers(f, 1), callers(f, "x"));
for (const f of [undefined, 1, "s", {}, class {}, Symbol, null]) print(tried(callers, f, 1));
function Pair(a, b) { if (!new.target) return "called"; this.a = a; this.b = b; }
function pairs(n) { let s = ""; for (let i = 0; i < n; i++) { const p = new Pair(i, "b"); s += p.a + p.b; } return s + Pair(1) + new Pair().a; }
print(pairs(4));
function noArguments() { try { for (;;) { callers(() => { throw "out"; }); } } catch (e) { return e + noArguments.length; } finally { print("finally"); } }
print(noArguments(), noArguments());
function sorted() { return [5, 3, 1].sort(function (a, b) { return a - b; }).map(function (x, i, all) { return x + i + all.length; }).join(); }
print(sorted(), "a-b-c".replace(/-/g, function () { return arguments.length; }));

// Global variables.
globalThis.declared = 1;
let lexical = 2;
function globals() { declared++; lexical += 2; return [declared, lexical, typeof missing, tried(() => missing), tried(() => later)].join(); }
print(globals(), globals());
let later = 3;
print(globals());
Object.defineProperty(globalThis, "computed", { get() { return ++declared; }, set(v) { declared = v * 2; }, configurable: true });
const reads = new Function("return [computed, (computed = 5, declared), computed].join()");
print(reads(), reads());
delete globalThis.computed;
print(tried(reads));
globalThis.computed = "again";
print(reads(), reads(), globals());
