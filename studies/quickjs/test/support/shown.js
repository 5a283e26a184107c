// How results are shown.
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
