// costs.js: calls ten functions a hundred times each. Prints the processor time of their first calls, in milliseconds, the median of
// the ten, and the resident memory at the end, in MiB.
import * as std from "qjs:std";
import * as os from "qjs:os";
const data = [5, 3, 8, 1, 9, 2, 7, 4, 6, 0];
const point = { x: 1, y: 2, moved(d) { return { x: this.x + d, y: this.y - d }; } };
const functions = [
  function gcd(n) { let a = n + 60, b = 84; while (b) [a, b] = [b, a % b]; return a; },
  function sum(n) { let s = 0; for (let i = 0; i < data.length; i++) s += data[i] * n; return s; },
  function polynomial(n) { const x = n / 7; return ((2 * x - 3) * x + 0.5) * x - 1; },
  function insertion(n) {
    const sorted = [];
    for (const v of data) { let i = sorted.length; while (i > 0 && sorted[i - 1] > v) { sorted[i] = sorted[i - 1]; i--; } sorted[i] = v; }
    return sorted[n % 10];
  },
  function text(n) { let t = ""; for (let i = 0; i < 5; i++) t += n + ","; return t; },
  function letters(n) { const t = "the quick brown fox"; let c = 0; for (let i = 0; i < t.length; i++) if (t.charCodeAt(i) > 110 + n % 5) c++; return c; },
  function caught(n) { try { if (n % 3 === 0) throw n; return n; } catch (e) { return -e; } finally { data[0] = 5; } },
  function move(n) { let p = point.moved(n); p.x++; return p.x * p.y; },
  function bits(n) { let c = 0; for (let v = n * 2654435761 >>> 0; v; v >>>= 1) c += v & 1; return c; },
  function product(n) { let s = 0; for (let i = 0; i < 3; i++) for (let k = 0; k < 3; k++) s += data[3 * i + k] * data[3 * k + i]; return s + n; },
];
const times = [];
for (const f of functions) {
  const began = os.cputime();
  f(1);
  times.push((os.cputime() - began) / 1000);
  for (let n = 0; n < 100; n++) f(n);
}
times.sort((a, b) => a - b);
const pages = Number(std.loadFile("/proc/self/statm").split(" ")[1]);
print((times[4] + times[5]) / 2, pages / 256);
