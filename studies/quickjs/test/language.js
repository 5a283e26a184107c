// What a variant may get wrong: calls, exceptions, finally, generators, closures, eval, released functions.
function finals(n) {
  for (let i = 0; ; i++) {
    try {
      try {
        if (i === n) return "returned " + i;
        if (i % 2) throw new Error("odd " + i);
        continue;
      } catch (e) {
        if (i > 5) throw e;
      } finally {
        finals.count = (finals.count || 0) + 1;
      }
    } catch (e) {
      return "left: " + e.message;
    }
  }
}
function* numbers(n) {
  try {
    for (let i = 0; i < n; i++) yield i * (yield i);
  } finally {
    print("generator closed");
  }
}
async function later(n) {
  let s = 0;
  for (let i = 0; i < n; i++) s += await i;
  return s;
}
function closures(n) {
  const all = [];
  for (let i = 0; i < n; i++) all.push(() => i++ + n);
  n = 100;
  return all.map(f => f() + f());
}
// Not strict.
const mapped = new Function("a", "b", "arguments[0] = 7; b = 9; return [a, b, arguments.length, arguments[1]].join()");
const evaluated = new Function("x", "eval('x += 1; var y = x * 2'); return x + y");
function destructured({ a, b: [c, ...d] }, ...rest) { return [a, c, d, rest].join("|"); }
function overflow(a, n) { let s = a; for (let i = 0; i < n; i++) s = s * 2 + i; return s; }
function deep(n) { return deep(n + 1) + 1; }
class Base { constructor(x) { this.x = x; } get twice() { return this.x * 2; } static make(...a) { return new this(...a); } }
class Derived extends Base { #p = 3; constructor(x) { super(x + 1); this.y = new.target.name; } sum() { return this.x + this.#p + super.twice; } }
for (let n = 0; n < 12; n++) print(finals(n), finals.count);
const g = numbers(4);
let out = [];
for (let r = g.next(); !r.done && out.length < 5; r = g.next(2)) out.push(r.value);
g.return();
print(out, closures(3), mapped(1, 2), mapped(1), evaluated(4), destructured({ a: 1, b: [2, 3, 4] }, 5, 6));
print(overflow(1, 40), overflow(0.5, 40), overflow("a", 3), overflow(1n, 0));
try { overflow(1n, 2); } catch (e) { print(e.message, e.stack.split("\n")[0].trim()); }
try { deep(0); } catch (e) { print(e.name, e.message); }
for (let n = 0; n < 3; n++) print(Derived.make(n).sum(), new Derived(n).y, [3, 1, 2].sort((a, b) => a - b), [..."abc"].map(c => c + n));
for (let n = 0; n < 4; n++) { print(new Function("a", "return a + " + n)(1)); std.gc(); }
label: for (const k in { a: 1, b: 2 }) for (const v of [1, 2, 3]) { if (v === 2) continue label; print(k, v); }
later(5).then(print);
(async () => { try { await Promise.reject(new TypeError("no")); } catch (e) { print(e.message); } finally { print("finally"); } })();
