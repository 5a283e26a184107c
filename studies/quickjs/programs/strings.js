function run() {
  let text = "";
  for (let i = 0; i < 20000; i++) text += "abc" + (i & 7);
  let commas = 0;
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) === 51) commas++;
  return text.length + commas;
}
