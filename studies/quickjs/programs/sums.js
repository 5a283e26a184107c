const values = [];
for (let i = 0; i < 1000; i++) values[i] = (i * 7919) % 1009;
function sum(of) {
  let s = 0;
  for (let i = 0; i < of.length; i++) s += of[i];
  return s;
}
function run() {
  let s = 0;
  for (let n = 0; n < 100; n++) s += sum(values);
  return s;
}
