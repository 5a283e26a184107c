// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A table that draws only the rows in sight, so that a hundred thousand scroll smoothly.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";

export interface Column<T> {
  title: string;
  width: string; // of CSS's grid: 80px, or minmax(80px, 1fr)
  right?: boolean;
  hint?: string;
  cell: (row: T) => ComponentChildren;
  sort?: (row: T) => number | string;
}

const HEIGHT = 28; // of a row, as in style.css
const BEYOND = 3;

interface Props<T> {
  label: string;
  rows: readonly T[];
  columns: Column<T>[];
  id: (row: T) => string | number;
  empty: string;
  fill?: boolean; // takes the rest of the window
  follow?: boolean; // stays at the end while rows are added
  begin?: { column: number; down: boolean };
  open?: (row: T) => void;
}

export function Table<T>({ label, rows, columns, id, empty, fill, follow, begin, open }: Props<T>) {
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: 600 });
  const [order, setOrder] = useState(begin ?? { column: -1, down: false });
  const [chosen, setChosen] = useState<string | number | null>(null);
  const atEnd = useRef(true);

  const sorted = useMemo(() => {
    const sort = columns[order.column]?.sort;
    if (!sort) return rows;
    const keyed = rows.map((row) => ({ row, key: sort(row) }));
    const sign = order.down ? -1 : 1;
    // Rows without a value are last in both directions.
    const rank = (key: number | string) => (typeof key === "number" && Number.isNaN(key) ? 1 : 0);
    keyed.sort((a, b) => rank(a.key) - rank(b.key) || sign * (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
    return keyed.map(({ row }) => row);
  }, [rows, rows.length, order, columns]);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    const measure = () => setView({ top: element.scrollTop, height: element.clientHeight });
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [rows.length === 0]);
  useLayoutEffect(() => {
    if (follow && atEnd.current && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [follow, sorted.length]);

  const scrolled = () => {
    const { scrollTop, clientHeight, scrollHeight } = box.current!;
    atEnd.current = scrollTop + clientHeight >= scrollHeight - HEIGHT;
    setView({ top: scrollTop, height: clientHeight });
  };
  const mark = `${label.replaceAll(" ", "-")}-chosen`;
  const index = chosen === null ? -1 : sorted.findIndex((row) => id(row) === chosen);
  const choose = (to: number) => {
    const at = Math.max(0, Math.min(sorted.length - 1, to));
    const row = sorted[at];
    if (row === undefined) return;
    setChosen(id(row));
    const element = box.current!;
    const space = element.clientHeight - HEIGHT; // below the heading
    if (at * HEIGHT < element.scrollTop) element.scrollTop = at * HEIGHT;
    else if ((at + 1) * HEIGHT > element.scrollTop + space) element.scrollTop = (at + 1) * HEIGHT - space;
  };
  const pressed = (event: KeyboardEvent) => {
    const page = Math.max(1, Math.floor(view.height / HEIGHT) - 2);
    const moves: Record<string, number> = { ArrowDown: index + 1, ArrowUp: index - 1, PageDown: index + page, PageUp: index - page, Home: 0, End: sorted.length - 1 };
    if (event.key in moves) choose(moves[event.key]!);
    else if (event.key === "Enter" && index >= 0 && open && event.target === box.current) open(sorted[index]!);
    else return;
    event.preventDefault();
  };

  const first = Math.max(0, Math.floor(view.top / HEIGHT) - BEYOND);
  const last = Math.min(sorted.length, Math.ceil((view.top + view.height) / HEIGHT) + BEYOND);
  const grid = { gridTemplateColumns: columns.map((column) => column.width).join(" ") };
  const least = columns.reduce((sum, column) => sum + Number(/(\d+)px/.exec(column.width)?.[1] ?? 0), 0);
  // A row that comes into sight takes the elements of one that has left.
  const slots = Math.max(1, last - first);
  const shown: ComponentChildren[] = Array(last - first);
  for (let i = first; i < last; ++i) {
    const row = sorted[i]!;
    const key = id(row);
    shown[i % slots] = (
      <div key={i % slots} class={`row${key === chosen ? " chosen" : ""}${open ? " opens" : ""}`} role="row" aria-rowindex={i + 2} aria-selected={key === chosen}
        id={key === chosen ? mark : undefined} style={{ ...grid, top: `${(i + 1) * HEIGHT}px` }}
        onClick={() => { setChosen(key); open?.(row); }}>
        {columns.map((column) => <div key={column.title} role="gridcell" class={column.right ? "right" : ""}>{column.cell(row)}</div>)}
      </div>);
  }
  if (rows.length === 0) return <p class="empty">{empty}</p>;
  return (
    <div class={`table${fill ? " fill" : ""}`} ref={box} role="grid" aria-label={label} aria-rowcount={sorted.length + 1} tabIndex={0}
      aria-activedescendant={index >= 0 ? mark : undefined} onScroll={scrolled} onKeyDown={pressed}>
      <div class="rows" style={{ height: `${(sorted.length + 1) * HEIGHT}px`, minWidth: `${least}px` }}>
        <div class="row heading" role="row" style={grid}>
          {columns.map((column, i) => (
            <div key={column.title} role="columnheader" class={column.right ? "right" : ""} title={column.hint}
              aria-sort={order.column === i ? (order.down ? "descending" : "ascending") : undefined}>
              {column.sort
                ? <button type="button" onClick={() => setOrder({ column: i, down: order.column === i ? !order.down : true })}>
                    {column.title}{order.column === i ? (order.down ? " ↓" : " ↑") : ""}
                  </button>
                : column.title}
            </div>))}
        </div>
        {shown}
      </div>
    </div>);
}
