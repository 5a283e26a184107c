function run() {
  let a = 0;
  for (let i = 0; i < 300000; i++) a = (a * 3 + i) & 0xffff;
  return a;
}
