function run() {
  let inside = 0;
  for (let y = 0; y < 40; y++)
    for (let x = 0; x < 40; x++) {
      const cr = x / 20 - 1.5, ci = y / 20 - 1;
      let r = 0, i = 0, n = 0;
      while (n < 50 && r * r + i * i < 4) {
        const t = r * r - i * i + cr;
        i = 2 * r * i + ci;
        r = t;
        n++;
      }
      if (n === 50) inside++;
    }
  return inside;
}
