// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers for people.

const PREFIXES: [number, string][] = [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"], [1e-12, "p"]];

function digits(value: number, count: number): string {
  return Number(value.toPrecision(count)).toString();
}

/** With zeros at the end, so that the numbers of a column have one length; counts have none. */
function padded(value: number, count: number): string {
  if (Number.isInteger(value)) return String(value);
  const shown = value.toPrecision(count);
  return shown.includes("e") ? digits(value, count) : shown;
}

/** 4.08 G, 82.7 n */
export function si(value: number, write = padded): string {
  if (!Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  const [scale, prefix] = PREFIXES.find(([each]) => size >= each * 0.9995) ?? [1, ""];
  if (size < 1e-12 || size >= 1e15) return value.toExponential(2);
  const shown = write(value / scale, 3);
  return prefix ? `${shown} ${prefix}` : shown;
}

/** The same for an axis. */
export const tick = (value: number): string => si(value, digits);

export function withUnit(value: number, unit: string): string {
  const shown = si(value);
  if (!unit || shown === "–") return shown;
  return / \S$/.test(shown) && /^(s|B|J|W|Hz)$/.test(unit) ? shown + unit : `${shown} ${unit}`;
}

export const seconds = (value: number): string => withUnit(value, "s");
export const milliseconds = (value: number): string => (Number.isFinite(value) ? withUnit(value / 1e3, "s") : "–");

/** The time of an event. */
export const clock = (value: number): string => (Number.isFinite(value) ? value.toFixed(3) : "–");

export function bytes(value: number): string {
  if (!Number.isFinite(value)) return "–";
  if (value < 10240) return `${value} B`;
  return value < 10 * 1048576 ? `${digits(value / 1024, 3)} KiB` : `${digits(value / 1048576, 3)} MiB`;
}

export const count = (value: number): string => (Number.isFinite(value) ? value.toLocaleString("en-US") : "–");

/** A share as a signed percentage. */
export function percent(value: number): string {
  if (!Number.isFinite(value)) return "–";
  const shown = Math.abs(value) >= 10 ? count(Math.round(value * 100)) : digits(value * 100, 3);
  return `${value > 0 ? "+" : ""}${shown.replace("-", "−")} %`;
}

export function plural(value: number, one: string, many = `${one}s`): string {
  return `${count(value)} ${value === 1 ? one : many}`;
}

/** A setting of a configuration as Sartor writes it: 16, 16!, 0|1. */
export function setting(value: unknown): string {
  if (Array.isArray(value)) return value.map(setting).join("|");
  if (typeof value === "object" && value !== null) {
    const { values, guard } = value as { values?: unknown; guard?: unknown };
    if (values !== undefined) return setting(values) + (guard === false ? "!" : "");
    return JSON.stringify(value);
  }
  return String(value);
}
