// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useEffect, useRef } from "preact/hooks";
import type { About } from "./feed";

const KEYS: [string, string][] = [
  ["1 … 8", "show a tab"],
  ["← →", "the next tab, when a tab has the focus"],
  ["↑ ↓ Page Home End", "choose a row, when a table has the focus"],
  ["Enter", "show the chosen row"],
  ["↑ ↓ in code", "choose a line, and highlight what belongs to it in the other panes"],
  ["n N in code", "the next or previous highlighted line"],
  ["/", "find events"],
  ["t", "light, dark or as the system"],
  ["p", "pause or continue a live page"],
  ["Esc", "close"],
  ["?", "this help"],
];

export function Help({ close, live, about }: { close: () => void; live: boolean; about: About }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog class="help" ref={dialog} onClose={close} aria-labelledby="help-title">
      <header><h2 id="help-title">Keyboard</h2><button type="button" onClick={close} aria-label="Close">✕</button></header>
      <dl class="facts">{KEYS.filter(([key]) => live || key !== "p").map(([key, does]) => [<dt key={key}><kbd>{key}</kbd></dt>, <dd key={does}>{does}</dd>])}</dl>
      <p class="muted">Drag in a chart to zoom in, double-click to zoom out. Sartor {about.version}. The page contains Preact and uPlot (MIT); their licenses are in its source.</p>
    </dialog>);
}
