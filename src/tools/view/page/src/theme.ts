// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Light, dark, or as the system wants it. Kept where the browser allows it.
import { useEffect, useState } from "preact/hooks";

const KEY = "sartor-theme";
const NAMES = ["auto", "light", "dark"] as const;
type Name = (typeof NAMES)[number];

let current: Name = stored();
const listeners = new Set<() => void>();
apply();

function stored(): Name {
  try {
    const kept = localStorage.getItem(KEY);
    return NAMES.find((name) => name === kept) ?? "auto";
  } catch {
    return "auto";
  }
}

function apply(): void {
  if (current === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = current;
}

export const currentTheme = (): Name => current;

export function nextTheme(): void {
  current = NAMES[(NAMES.indexOf(current) + 1) % NAMES.length]!;
  try {
    localStorage.setItem(KEY, current);
  } catch {
    // Files and private windows may have no storage.
  }
  apply();
  for (const listener of listeners) listener();
}

/** A text that changes whenever the colors do. */
export function useTheme(): string {
  const system = matchMedia("(prefers-color-scheme: dark)");
  const name = () => `${current} ${system.matches}`;
  const [theme, setTheme] = useState(name);
  useEffect(() => {
    const changed = () => setTheme(name());
    listeners.add(changed);
    system.addEventListener("change", changed);
    return () => {
      listeners.delete(changed);
      system.removeEventListener("change", changed);
    };
  }, []);
  return theme;
}
