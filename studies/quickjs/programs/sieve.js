const flags = [];
function run() {
  const size = 20000;
  let count = 0;
  for (let i = 0; i <= size; i++) flags[i] = 1;
  for (let i = 2; i <= size; i++)
    if (flags[i]) {
      count++;
      for (let k = i + i; k <= size; k += i) flags[k] = 0;
    }
  return count;
}
