// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The text format of Prometheus. It comes from the server: all of it is text.

export interface Sample {
  name: string;
  labels: ReadonlyMap<string, string>;
  value: number;
}

const MOST_SAMPLES = 20_000;

export function parse(text: string): Sample[] {
  const samples: Sample[] = [];
  for (const line of text.split("\n")) {
    const found = /^([A-Za-z_:]\w*)(?:\{(.*)\})? (\S+)/.exec(line);
    if (!found || samples.length >= MOST_SAMPLES) continue;
    const labels = new Map<string, string>();
    for (const [, label, value] of (found[2] ?? "").matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g))
      labels.set(label!, value!.replace(/\\(.)/g, (_, each: string) => (each === "n" ? "\n" : each)));
    samples.push({ name: found[1]!, labels, value: Number(found[3]) });
  }
  return samples;
}

/** The answer of a server at one time. */
export class Reading {
  constructor(readonly t: number, private readonly samples: readonly Sample[]) {}

  /** The sum of the samples that have these labels. */
  sum(name: string, wanted: Record<string, string> = {}): number {
    let sum = 0;
    for (const each of this.samples)
      if (each.name === name && Object.entries(wanted).every(([label, value]) => each.labels.get(label) === value)) sum += each.value;
    return sum;
  }

  /** All values of a label. */
  values(label: string, ...names: string[]): string[] {
    const found = new Set<string>();
    for (const each of this.samples) if (names.includes(each.name) && each.labels.has(label)) found.add(each.labels.get(label)!);
    return [...found].sort();
  }

  /** The upper end of the bucket that a share of a histogram's values lies in. */
  quantile(name: string, wanted: Record<string, string>, share: number): number {
    const total = this.sum(`${name}_count`, wanted);
    const ends = this.values("le", `${name}_bucket`).map((le) => [le === "+Inf" ? Infinity : Number(le), this.sum(`${name}_bucket`, { ...wanted, le })] as const).sort((a, b) => a[0] - b[0]);
    return total > 0 ? (ends.find(([, count]) => count >= share * total)?.[0] ?? NaN) : NaN;
  }
}
