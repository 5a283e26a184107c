// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useMemo } from "preact/hooks";
import uPlot from "uplot";
import { axes, Chart } from "./chart";
import { number, text, type Item } from "./events";
import { clock, count, seconds, si } from "./format";
import type { Model } from "./model";
import type { Guard, QuasiInvariant } from "./records";
import { Table, type Column } from "./table";

const MOST_LINES = 8;
const NAMED = ["event", "t", "handler", "text", "message", "quasi_invariant", "invariant"];

const GUARDS: Column<Guard>[] = [
  { title: "label", width: "minmax(140px, 1fr)", sort: (row) => row.label, cell: (row) => <code>{row.label}</code> },
  { title: "failures", width: "120px", right: true, sort: (row) => row.failures, cell: (row) => count(row.failures) },
  { title: "per second", width: "110px", right: true, hint: "Between the first and the last report", cell: (row) => (row.last > row.first ? si(row.failures / (row.last - row.first)) : "–") },
  { title: "first", width: "100px", right: true, cell: (row) => `${clock(row.first)} s` },
  { title: "last", width: "100px", right: true, cell: (row) => `${clock(row.last)} s` },
];

const nanoseconds = (value: number) => seconds(value / 1e9);
const share = (of: QuasiInvariant, total: string, times: string) => nanoseconds(number(of.last, total) / number(of.last, times));

const QUASI: Column<QuasiInvariant>[] = [
  { title: "quasi-invariant", width: "minmax(140px, 1fr)", sort: (row) => row.name, cell: (row) => <><code>{row.name}</code>{row.dropped && <b class="chip">destroyed</b>}</> },
  { title: "became valid", width: "120px", right: true, cell: (row) => count(number(row.last, "held")) },
  { title: "invalidated", width: "100px", right: true, sort: (row) => number(row.last, "invalidated"), cell: (row) => count(number(row.last, "invalidated")) },
  { title: "valid for", width: "100px", right: true, hint: "On average, between invalidations", cell: (row) => share(row, "valid_nanoseconds", "invalidated") },
  { title: "invalidation", width: "105px", right: true, hint: "Time that a writer takes, on average", cell: (row) => share(row, "invalidation_nanoseconds", "invalidated") },
  { title: "variants", width: "85px", right: true, cell: (row) => count(number(row.last, "made")) },
  { title: "economy", width: "minmax(140px, 1fr)", cell: (row) => (row.economy ? `${text(row.economy, "worth")}${text(row.economy, "missing") ? `: ${text(row.economy, "missing")}` : ""}` : "not weighed") },
];

/** All fields that have no column: the address that was written, callers that waited, … */
function rest(item: Item): string {
  return Object.entries(item.fields).filter(([name]) => !NAMED.includes(name)).map(([name, value]) => `${name} ${typeof value === "string" ? value : JSON.stringify(value)}`).join(", ");
}

export function Guards({ model, version, theme }: { model: Model; version: number; theme: string }) {
  const guards = useMemo(() => [...model.guards.values()].sort((a, b) => b.failures - a.failures), [model, version]);
  const quasi = useMemo(() => [...model.quasiInvariants.values()], [model, version]);
  const data = useMemo(() => together(guards.slice(0, MOST_LINES), model.end), [guards]);
  const columns = useMemo((): Column<Item>[] => [
    { title: "time", width: "90px", right: true, cell: (row) => `${clock(row.t)} s` },
    { title: "event", width: "230px", cell: (row) => row.kind },
    { title: "handler or invariant", width: "minmax(170px, 1fr)", cell: (row) => <code>{model.name(text(row.fields, "handler")) || text(row.fields, "quasi_invariant") || text(row.fields, "invariant")}</code> },
    { title: "details", width: "minmax(240px, 2fr)", cell: (row) => <span title={text(row.fields, "message")}>{[rest(row), text(row.fields, "message")].filter(Boolean).join("; ")}</span> },
  ], [model]);
  return (
    <>
      <section>
        <h2>Guard failures</h2>
        {guards.length > 0 && <>
          <Chart label="Guard failures since the beginning, by label" data={data} height={220} theme={`${theme} ${guards.slice(0, MOST_LINES).map((each) => each.label).join(" ")}`}
            options={(paint) => ({
              axes: axes(paint, "failures in total"),
              scales: { x: { time: false }, y: { range: (_, __, high) => [0, high || 1] } },
              legend: { show: false },
              cursor: { drag: { x: true, y: false } },
              series: [{}, ...guards.slice(0, MOST_LINES).map((each, i) => ({ label: each.label, stroke: paint.series[i]!, width: 2, spanGaps: true, paths: uPlot.paths.stepped!({ align: 1 }), points: { show: false } }))],
            })} />
          <p class="legend">{guards.slice(0, MOST_LINES).map((each, i) => <span key={each.label}><i class={`key line series-${i + 1}`} />{each.label}</span>)}{guards.length > MOST_LINES && <span class="muted">the {MOST_LINES} with most failures</span>}</p>
        </>}
        <Table label="Guards" rows={guards} columns={GUARDS} id={(row) => row.label} empty="No guard failed, or the log has no event guards." />
      </section>
      <section>
        <h2>Quasi-invariants</h2>
        <Table label="Quasi-invariants" rows={quasi} columns={QUASI} id={(row) => row.name} empty="No quasi-invariant in the log." />
      </section>
      <section>
        <h2>Invalidations</h2>
        <p class="muted">Events have the address of a write where a guard has seen it.</p>
        <Table label="Invalidations" rows={model.invalidations} columns={columns} id={(row) => row.n} empty="Nothing was invalidated." />
      </section>
    </>);
}

function together(guards: readonly Guard[], end: number): uPlot.AlignedData {
  const times = [...new Set(guards.flatMap((each) => each.times).concat(guards.length ? [end] : []))].sort((a, b) => a - b);
  return [times, ...guards.map((each) => {
    const at = new Map(each.times.map((t, i) => [t, each.counts[i]!]));
    if (!at.has(end)) at.set(end, each.failures);
    return times.map((t) => at.get(t) ?? null);
  })];
}
