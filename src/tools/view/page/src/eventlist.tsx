// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All lines of the log.
import { useEffect, useMemo, useState } from "preact/hooks";
import { number, text, type Item } from "./events";
import { bytes, clock, count } from "./format";
import type { Model } from "./model";
import { kinds } from "./reference";
import { Table, type Column } from "./table";

const DAMAGED = "(damaged)";

// The text that is searched and shown, made once for each event.
const texts = new WeakMap<Item, string>();
function textOf(item: Item): string {
  let found = texts.get(item);
  if (found === undefined) {
    if (!item.kind) found = text(item.fields, "text");
    else {
      const { event: _event, t: _t, ...rest } = item.fields as { event?: unknown; t?: unknown };
      found = JSON.stringify(rest).slice(1, -1);
    }
    texts.set(item, found);
  }
  return found;
}

export function EventList({ model, version, live }: { model: Model; version: number; live: boolean }) {
  const [wanted, setWanted] = useState("");
  const [typed, setTyped] = useState("");
  const [kind, setKind] = useState("");
  const [chosen, setChosen] = useState<Item | null>(null);
  useEffect(() => {
    const timer = setTimeout(() => setWanted(typed.toLowerCase()), 150);
    return () => clearTimeout(timer);
  }, [typed]);
  const rows = useMemo(() => {
    if (!wanted && !kind) return model.items.slice();
    return model.items.filter((item) => (!kind || (item.kind || DAMAGED) === kind) && (!wanted || item.kind.includes(wanted) || textOf(item).toLowerCase().includes(wanted)));
  }, [model, version, wanted, kind]);
  const columns = useMemo((): Column<Item>[] => [
    { title: "line", width: "80px", right: true, hint: "Empty lines are not counted", cell: (row) => count(row.n) },
    { title: "time (s)", width: "100px", right: true, cell: (row) => (row.kind ? clock(row.t) : "–") },
    { title: "event", width: "210px", cell: (row) => (row.kind ? row.kind : <b class="bad">{DAMAGED}</b>) },
    { title: "fields", width: "minmax(300px, 1fr)", cell: (row) => <code>{textOf(row).slice(0, 260)}</code> },
  ], []);
  const known = [...model.kinds].sort();
  return (
    <section class="tall">
      <div class="bar">
        <input id="find-events" type="search" placeholder="text in events ( / )" aria-label="Find events" value={typed} onInput={(event) => setTyped(event.currentTarget.value)} />
        <select aria-label="Kind of event" value={kind} onChange={(event) => setKind(event.currentTarget.value)}>
          <option value="">all events</option>
          {known.map(([name, times]) => <option key={name} value={name}>{name} ({count(times)})</option>)}
          {model.damaged > 0 && <option value={DAMAGED}>damaged lines ({count(model.damaged)})</option>}
        </select>
        <span class="muted" role="status">{count(rows.length)} of {count(model.items.length)}</span>
      </div>
      <Table label="Events" rows={rows} columns={columns} id={(row) => row.n} fill follow={live} open={setChosen} empty="No such event." />
      {chosen && <Shown item={chosen} close={() => setChosen(null)} />}
    </section>);
}

function Shown({ item, close }: { item: Item; close: () => void }) {
  return (
    <aside class="shown" aria-label={`Line ${item.n}`}>
      <header>
        <h3>line {count(item.n)}: {item.kind || "damaged"}</h3>
        <button type="button" onClick={close} aria-label="Close">✕</button>
      </header>
      {item.kind
        ? <p class="muted">{kinds.get(item.kind) ?? "An event of the program."}</p>
        : <p class="bad">This line is no event: {text(item.fields, "damaged")}. It has {bytes(number(item.fields, "bytes"))}; below is its beginning.</p>}
      <pre tabIndex={0}>{item.kind ? JSON.stringify(item.fields, null, 2) : text(item.fields, "text")}</pre>
    </aside>);
}
