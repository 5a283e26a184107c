// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Events as the page gets them. Their fields come from outside: each is read with one of these functions.

/** Fields of an event. Read by field(), so that names such as __proto__ are harmless. */
export type Fields = { readonly [name: string]: unknown };

/** A line of the log. */
export interface Item {
  n: number;
  t: number;
  kind: string; // "" for a damaged line
  fields: Fields;
}

export function field(from: unknown, name: string): unknown {
  return typeof from === "object" && from !== null && Object.hasOwn(from, name) ? (from as Fields)[name] : undefined;
}

export function text(from: unknown, name: string): string {
  const value = field(from, name);
  return typeof value === "string" ? value : "";
}

/** Events of the whole process have numbers as texts. */
export function number(from: unknown, name: string): number {
  const value = field(from, name);
  if (typeof value === "number") return value;
  return typeof value === "string" && value !== "" ? Number(value) : NaN;
}

export function list(from: unknown, name: string): unknown[] {
  const value = field(from, name);
  return Array.isArray(value) ? value : [];
}

export function entries(from: unknown, name: string): [string, unknown][] {
  const value = field(from, name);
  return typeof value === "object" && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
}

/** A failure's parts. The log has them in one text: `code: "subject": message (remedy)`. */
export interface Failure {
  code: string;
  subject: string;
  message: string;
  remedy: string;
}

export function failure(fields: Fields): Failure {
  const parts = { code: text(fields, "code"), subject: text(fields, "subject"), message: text(fields, "message"), remedy: text(fields, "remedy") };
  if (!parts.message) parts.message = text(fields, "error");
  const code = /^([a-z_]+): /.exec(parts.message);
  if (code && (!parts.code || code[1] === parts.code)) {
    parts.code = code[1]!;
    parts.message = parts.message.slice(code[0].length);
    const subject = /^"([^"]*)": /.exec(parts.message);
    if (subject && (!parts.subject || subject[1] === parts.subject)) {
      parts.subject = subject[1]!;
      parts.message = parts.message.slice(subject[0].length);
    }
  }
  if (!parts.remedy && parts.code && parts.message.endsWith(")")) {
    const open = opening(parts.message);
    if (open > 0) {
      parts.remedy = parts.message.slice(open + 1, -1);
      parts.message = parts.message.slice(0, open).trimEnd();
    }
  }
  return parts;
}

/** The index of the parenthesis that the last one closes. */
function opening(message: string): number {
  let depth = 0;
  for (let i = message.length - 1; i >= 0; --i) {
    if (message[i] === ")") ++depth;
    if (message[i] === "(" && --depth === 0) return i;
  }
  return -1;
}
