// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useMemo, useState } from "preact/hooks";
import { bytes, count, milliseconds, withUnit } from "./format";
import type { Model } from "./model";
import { Interval } from "./parts";
import type { Variant } from "./records";
import { Table, type Column } from "./table";

export function Variants({ model, version, open }: { model: Model; version: number; open: (text: string) => void }) {
  const [wanted, setWanted] = useState("");
  const all = useMemo(() => [...model.variants.values()], [model, version]);
  const rows = useMemo(() => {
    const words = wanted.toLowerCase();
    return words ? all.filter((each) => each.text.toLowerCase().includes(words) || [...each.handlers].some((name) => model.name(name).toLowerCase().includes(words))) : all;
  }, [all, wanted]);
  const range = useMemo(() => rangeOf(all), [all]);
  const unit = model.unit;
  const columns = useMemo((): Column<Variant>[] => {
    const active = new Set(model.active.values());
    return [
      { title: "configuration", width: "minmax(170px, 2fr)", sort: (row) => row.text, cell: (row) => <><code>{row.text}</code>{active.has(row.text) && <b class="chip good">active</b>}</> },
      { title: "handlers", width: "minmax(125px, 1fr)", cell: (row) => [...row.handlers].map((name) => model.name(name)).join(", ") || "–" },
      { title: model.lessIsBetter ? "mean cost" : "mean score", width: "140px", right: true, sort: (row) => model.value(row.score), hint: "Mean of all its trials, whatever the workload was",
        cell: (row) => withUnit(model.value(row.score), unit) },
      { title: "trials", width: "70px", right: true, sort: (row) => row.trials.length, cell: (row) => count(row.trials.length) },
      { title: "gain, 95 % interval", width: "minmax(352px, 2fr)", sort: (row) => row.gain?.mean ?? NaN, hint: "Against what was active before, where it was confirmed or decided",
        cell: (row) => <Interval gain={row.gain} range={row.gain ? range : null} /> },
      { title: "compiled in", width: "106px", right: true, sort: (row) => (row.compilations.length ? row.milliseconds : NaN), cell: (row) => (row.compilations.length ? milliseconds(row.milliseconds) : "–") },
      { title: "code", width: "78px", right: true, sort: (row) => row.code || NaN, cell: (row) => (row.code ? bytes(row.code) : "–") },
      { title: "remarks", width: "84px", right: true, sort: (row) => row.remarks.length, cell: (row) => (row.remarks.length ? count(row.remarks.length) : "–") },
      { title: "failures", width: "84px", right: true, sort: (row) => row.failures, cell: (row) => (row.failures ? <b class="bad">{count(row.failures)}</b> : "–") },
    ];
  }, [model, version, range, unit]);
  return (
    <section class="tall">
      <div class="bar">
        <input type="search" placeholder="configuration or handler" aria-label="Find variants" value={wanted} onInput={(event) => setWanted(event.currentTarget.value)} />
        <span class="muted">{count(rows.length)} of {count(all.length)}; Enter or a click shows one</span>
      </div>
      <Table label="Variants" rows={rows} columns={columns} id={(row) => row.text} fill begin={{ column: 2, down: !model.lessIsBetter }} open={(row) => open(row.text)} empty="No variants in the log." />
    </section>);
}

function rangeOf(all: readonly Variant[]): [number, number] {
  let low = 0, high = 0;
  for (const { gain } of all) {
    if (!gain) continue;
    low = Math.min(low, gain.low);
    high = Math.max(high, gain.high);
  }
  return high > low ? [low, high] : [0, 1];
}
