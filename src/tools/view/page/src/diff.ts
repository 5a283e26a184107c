// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two listings side by side. Lines that differ only in numbers of registers, labels and metadata are the same.

export interface Row {
  left: string | null; // null: this side has no such line
  right: string | null;
}

const MOST_CELLS = 6_000_000;

function key(line: string): string {
  return line
    .trim()
    .replace(/;.*$/, "")
    .replace(/%[\w.$]+/g, "%")
    .replace(/![0-9]+/g, "!")
    .replace(/#[0-9]+/g, "#")
    .replace(/^[\w.$]+:\s*$/, "label")
    .replace(/\.LBB\d+_\d+/g, ".L")
    .replace(/@"[^"]*"/g, "@");
}

export function compare(generic: string, variant: string): Row[] {
  const left = generic.split("\n"), right = variant.split("\n");
  const a = left.map(key), b = right.map(key);
  let begin = 0;
  while (begin < a.length && begin < b.length && a[begin] === b[begin]) ++begin;
  let endA = a.length, endB = b.length;
  while (endA > begin && endB > begin && a[endA - 1] === b[endB - 1]) --endA, --endB;
  const rows: Row[] = [];
  for (let i = 0; i < begin; ++i) rows.push({ left: left[i]!, right: right[i]! });
  for (const [i, j] of pairs(a.slice(begin, endA), b.slice(begin, endB)))
    rows.push({ left: i < 0 ? null : left[begin + i]!, right: j < 0 ? null : right[begin + j]! });
  for (let i = 0; endA + i < a.length; ++i) rows.push({ left: left[endA + i]!, right: right[endB + i]! });
  return rows;
}

/** The longest common subsequence; -1: no line on this side. Long listings are not aligned. */
function pairs(a: string[], b: string[]): [number, number][] {
  const width = b.length + 1;
  const found: [number, number][] = [];
  if ((a.length + 1) * width > MOST_CELLS) {
    a.forEach((_, i) => found.push([i, -1]));
    b.forEach((_, j) => found.push([-1, j]));
    return found;
  }
  const length = new Uint16Array((a.length + 1) * width);
  for (let i = a.length - 1; i >= 0; --i)
    for (let j = b.length - 1; j >= 0; --j)
      length[i * width + j] = a[i] === b[j] ? length[(i + 1) * width + j + 1]! + 1 : Math.max(length[(i + 1) * width + j]!, length[i * width + j + 1]!);
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) found.push([i++, j++]);
    else if (j >= b.length || (i < a.length && length[(i + 1) * width + j]! >= length[i * width + j + 1]!)) found.push([i++, -1]);
    else found.push([-1, j++]);
  }
  return found;
}
