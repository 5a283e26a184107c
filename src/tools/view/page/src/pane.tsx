// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Lines of code, of which only those in sight are elements.
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { count } from "./format";
import type { Line } from "./listing";

/** The source lines that belong to the line under the pointer, or to the chosen one. */
export interface Chosen {
  exact: string; // the innermost one
  chain: ReadonlySet<string>;
}

const HEIGHT = 18; // of a line, as in style.css
const BEYOND = 10;

interface Props {
  label: string;
  note?: string;
  lines: readonly Line[];
  isSource?: boolean;
  lit: Chosen | null; // under the pointer, or chosen
  chosen: Chosen | null;
  hover: (line: Line | null) => void;
  choose: (line: Line) => void;
}

/** Notes are cut off where the pane ends, and shown in full under the pointer. */
const isNote = (line: Line) => line.look === "effect" || line.look === "why";
const slug = (label: string) => label.toLowerCase().replaceAll(" ", "-");

export function Pane({ label, note, lines, isSource, lit, chosen, hover, choose }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const [cursor, setCursor] = useState(-1);
  const isLit = (line: Line | undefined, by: Chosen | null) => line !== undefined && by !== null && (isSource ? by.chain.has(line.keys[0] ?? "") : line.keys.includes(by.exact));
  const width = useMemo(() => lines.reduce((most, line) => isNote(line) ? most : Math.max(most, line.text.length + 4 * (line.text.match(/\t/g)?.length ?? 0)), 20), [lines]);
  const found = useMemo(() => lines.filter((line) => isLit(line, lit)).length, [lines, lit]);

  useLayoutEffect(() => {
    const element = box.current!;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  useEffect(() => setCursor((now) => Math.min(now, lines.length - 1)), [lines]);
  const reveal = (at: number, always: boolean) => {
    const element = box.current!;
    const top = at * HEIGHT;
    if (top >= element.scrollTop && top + HEIGHT <= element.scrollTop + element.clientHeight) return;
    element.scrollTop = always ? Math.max(0, top - element.clientHeight / 3) : top < element.scrollTop ? top : top + HEIGHT - element.clientHeight;
  };
  // Brings a line of the choice into sight, unless one is.
  useEffect(() => {
    if (!chosen) return;
    const first = Math.ceil(view.top / HEIGHT), end = Math.floor((view.top + view.height) / HEIGHT);
    for (let i = first; i < end; ++i) if (isLit(lines[i], chosen)) return;
    const exact = lines.findIndex((line) => line.keys[0] === chosen.exact);
    const at = exact >= 0 ? exact : lines.findIndex((line) => isLit(line, chosen));
    if (at >= 0) reveal(at, true);
  }, [chosen, lines]);

  const under = useRef<Line | null>(null); // the pointer
  const pointed = (line: Line | null, event?: MouseEvent) => {
    // A browser sends events without movement when lines scroll under the pointer.
    if (under.current === line || (event && event.movementX === 0 && event.movementY === 0)) return;
    under.current = line;
    hover(line);
  };
  const move = (to: number) => {
    const at = Math.max(0, Math.min(lines.length - 1, to));
    const line = lines[at];
    if (!line) return;
    setCursor(at);
    reveal(at, false);
    pointed(null); // the keyboard's choice is shown, wherever the pointer rests
    choose(line);
  };
  const next = (step: number) => {
    for (let i = cursor + step; i >= 0 && i < lines.length; i += step)
      if (isLit(lines[i], chosen)) {
        setCursor(i);
        return reveal(i, false);
      }
  };
  const pressed = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor(view.height / HEIGHT) - 2);
    const moves: Record<string, number> = { ArrowDown: cursor + 1, ArrowUp: cursor - 1, PageDown: cursor + page, PageUp: cursor - page, Home: 0, End: lines.length - 1, Enter: cursor };
    if (event.key in moves) move(moves[event.key]!);
    else if (event.key === "n" || event.key === "N") next(event.key === "n" ? 1 : -1);
    else return;
    event.preventDefault();
  };

  const from = Math.max(0, Math.floor(view.top / HEIGHT) - BEYOND);
  const to = Math.min(lines.length, Math.ceil((view.top + view.height) / HEIGHT) + BEYOND);
  const mark = `${slug(label)}-cursor`;
  return (
    <div class="pane">
      <h5>{label} <small class="muted" aria-live="polite">{note ?? `${count(lines.length)} lines`}{found > 0 && `, ${count(found)} highlighted`}</small></h5>
      <div class="lines" ref={box} role="listbox" aria-label={label} tabIndex={0} aria-activedescendant={cursor >= 0 ? mark : undefined}
        onScroll={() => setView({ top: box.current!.scrollTop, height: box.current!.clientHeight })} onKeyDown={pressed} onMouseLeave={() => pointed(null)}>
        <div style={{ height: `${lines.length * HEIGHT}px`, minWidth: `${width + (isSource ? 22 : 2)}ch` }}>
          {lines.slice(from, to).map((line, i) => {
            const at = from + i;
            const strong = isLit(line, lit), exact = strong && isSource && line.keys[0] === lit!.exact;
            return (
              <div key={at} class={`line ${line.look}${line.unlikely ? " unlikely" : ""}${strong ? (isSource && !exact ? " lit around" : " lit") : ""}${at === cursor ? " cursor" : ""}`} role="option"
                aria-selected={isLit(line, chosen)} id={at === cursor ? mark : undefined} style={{ top: `${at * HEIGHT}px` }} title={isNote(line) ? line.text : undefined}
                onMouseMove={(event) => pointed(line, event)} onClick={() => { setCursor(at); choose(line); }}>
                {isSource && !isNote(line) && <><span class="number">{line.number}</span><span class="counts">{line.counts}</span></>}<span class="text">{line.text}</span>
              </div>);
          })}
        </div>
      </div>
    </div>);
}
