function risky(n) {
  if (n % 10 === 0) throw n;
  return n;
}
function guarded(n) {
  try {
    return risky(n);
  } catch (e) {
    return -e;
  }
}
function run() {
  let s = 0;
  for (let i = 0; i < 20000; i++) s += guarded(i);
  return s;
}
