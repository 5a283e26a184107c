// Operands of all kinds.
var thrower = { valueOf() { throw new Error("valueOf"); }, toString() { return "thrower"; } };
var counter = { n: 0, valueOf() { return ++this.n; } };
var values = [0, -0, 1, -1, 7, 2147483647, -2147483648, 1.5, -0.25, NaN, Infinity, 1e300, "", "1", "abc", "abc".repeat(5000),
  true, null, undefined, 1n, -5n, 12345678901234567890n, {}, [2], thrower, counter, Symbol.iterator];
