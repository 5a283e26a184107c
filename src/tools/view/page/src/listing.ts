// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The code of a variant and of the generic code as lines that know their source lines.
import { compare } from "./diff";
import { entries, field, list, number, text } from "./events";
import { setting } from "./format";

/** A line of source, IR or assembly in a pane. */
export interface Line {
  text: string;
  keys: readonly string[]; // its source lines, innermost first
  unlikely: boolean;
  look: "" | "gone" | "new" | "guard" | "folded" | "fewer" | "effect" | "why" | "gap";
  number?: number;
  counts?: string;
}

export interface Version {
  ir: Line[];
  assembly: Line[];
  cut: { ir: number; assembly: number }; // the number of all lines, if some are left out
}

/** The lines of a source file. */
export interface File {
  name: string;
  error: string;
  newer: boolean;
  cut: boolean;
  lines: Line[];
}

/** All about one handler of a variant. */
export interface HandlerCode {
  generic: Version;
  variant: Version;
  files: Map<number, File>;
  first: number; // the file to begin with; -1: none is known
}

/** Guards and side exits have these names in the IR. */
export const GUARD = /sartor\.(guard|exit)/;

const keyOf = (file: number, line: number) => `${file}:${line}`;
export const fileOf = (key: string) => Number(key.split(":")[0]);

interface Note {
  text: string;
  good: boolean;
}

function linesOf(code: unknown, name: string, origins: { keys: string[]; unlikely: boolean }[]): Line[] {
  const content = text(code, name);
  const numbers = list(code, `${name}_origins`);
  return content.replace(/\n$/, "").split("\n").map((each, i) => {
    const origin = origins[Number(numbers[i]) || 0];
    return { text: each, keys: origin?.keys ?? [], unlikely: origin?.unlikely ?? false, look: GUARD.test(each) ? "guard" : "" };
  });
}

function version(code: unknown): Version {
  const origins = list(code, "origins").map((origin) => ({
    keys: list(origin, "at").filter(Array.isArray).map(([file, line]) => keyOf(Number(file), Number(line))),
    unlikely: field(origin, "unlikely") === true,
  }));
  return { ir: linesOf(code, "ir", origins), assembly: linesOf(code, "assembly", origins),
    cut: { ir: number(code, "ir_lines") || 0, assembly: number(code, "assembly_lines") || 0 } };
}

/** Marks the lines that only one side has. */
function markDifferences(generic: Line[], variant: Line[]): void {
  let left = 0, right = 0;
  for (const row of compare(generic.map((each) => each.text).join("\n"), variant.map((each) => each.text).join("\n"))) {
    const one = row.left === null ? undefined : generic[left++], other = row.right === null ? undefined : variant[right++];
    if (one && !other && !one.look) one.look = "gone";
    if (other && !one && !other.look) other.look = "new";
  }
}

/** How many likely instructions of the IR come from each source line. */
function countsOf(lines: readonly Line[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) if (!line.unlikely) for (const key of new Set(line.keys)) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

/** The effect of a setting, or the reasons why a point stays generic. */
export function effect(point: unknown): Note {
  const label = text(point, "label");
  if (field(point, "specialized") !== true) return { text: `${label} stays generic: ${list(point, "reasons").map(String).join("; ") || "it is not set"}`, good: false };
  const changes = ["simplified", "work"].flatMap((measure) => entries(field(point, "effects"), measure)
    .map(([what, each]) => [what, number(each, "after") - number(each, "before")] as const)
    .filter(([, more]) => more !== 0)
    .map(([what, more]) => `${more > 0 ? "+" : "−"}${Math.abs(more)} ${what}`));
  return { text: `${label} = ${setting(field(point, "setting"))}: ${changes.join(", ") || "nothing folded because of it"}`, good: changes.length > 0 };
}

/** What folded at a line, and what did not and why. */
function notesOf(all: unknown, of: unknown, loops: unknown[], known: ReadonlySet<string>): Map<string, Note[]> {
  const notes = new Map<string, Note[]>();
  const note = (key: string, what: Note) => {
    const here = notes.get(key);
    if (!here) notes.set(key, [what]);
    else if (!here.some((each) => each.text === what.text)) here.push(what);
  };
  const points = list(of, "points");
  for (const site of list(all, "sites")) {
    const point = points.find((each) => text(each, "label") === text(site, "label"));
    if (point !== undefined && list(site, "handlers").includes(text(of, "name"))) note(keyOf(number(site, "file"), number(site, "line")), effect(point));
  }
  for (const each of list(of, "not_done"))
    if (number(each, "line") > 0) note(keyOf(number(each, "file"), number(each, "line")), { text: `${text(each, "pass")}: ${text(each, "message")}`, good: false });
  for (const loop of loops) {
    const line = number(loop, "line");
    const here = [...known].filter((key) => key.endsWith(`:${line}`));
    if (!(line > 0) || here.length !== 1) continue; // a report has the line alone
    const copies = number(loop, "copies") || 0, whyNot = text(loop, "why_not");
    note(here[0]!, whyNot ? { text: `loop not followed${copies ? ` after ${copies} copies` : ""}: ${whyNot}`, good: false } : { text: `loop followed: ${copies} copies`, good: true });
  }
  return notes;
}

function sourceLine(content: string, line: number, file: number, before: Map<string, number>, after: Map<string, number>): Line {
  const key = keyOf(file, line);
  const had = before.get(key) ?? 0, has = after.get(key) ?? 0;
  return { text: content, keys: [key], unlikely: had + has === 0, number: line, counts: had + has > 0 ? `${had} → ${has}` : "",
    look: had > 0 && has === 0 ? "folded" : has < had ? "fewer" : "" };
}

export function handlerCode(all: unknown, of: unknown, loops: unknown[]): HandlerCode {
  const generic = version(field(field(all, "generic"), text(of, "name"))), variant = version(field(of, "code"));
  markDifferences(generic.ir, variant.ir);
  markDifferences(generic.assembly, variant.assembly);
  const before = countsOf(generic.ir), after = countsOf(variant.ir);
  const known = new Set([generic, variant].flatMap((each) => [...each.ir, ...each.assembly]).flatMap((line) => line.keys));
  const notes = notesOf(all, of, loops, known);
  const files = new Map<number, File>();
  for (const file of new Set([...known, ...notes.keys()].map(fileOf))) {
    const source = list(all, "sources")[file];
    const read: File = { name: text(source, "file"), error: text(source, "error"), newer: field(source, "newer") === true, cut: field(source, "cut") === true, lines: [] };
    const add = (content: string, line: number) => {
      read.lines.push(sourceLine(content, line, file, before, after));
      for (const each of notes.get(keyOf(file, line)) ?? []) read.lines.push({ text: each.text, keys: [keyOf(file, line)], unlikely: false, look: each.good ? "effect" : "why" });
    };
    const parts = list(source, "parts");
    parts.forEach((part, i) => {
      if (i > 0) read.lines.push({ text: "⋯", keys: [], unlikely: true, look: "gap" });
      text(part, "text").split("\n").forEach((content, j) => add(content, number(part, "first") + j));
    });
    if (parts.length === 0) // the numbers alone
      [...new Set([...known, ...notes.keys()])].filter((key) => fileOf(key) === file).map((key) => Number(key.split(":")[1])).sort((a, b) => a - b).forEach((line) => add("", line));
    files.set(file, read);
  }
  const own = variant.ir.find((line) => line.keys.length > 0)?.keys.at(-1) ?? [...notes.keys()][0];
  return { generic, variant, files, first: own === undefined ? -1 : fileOf(own) };
}
