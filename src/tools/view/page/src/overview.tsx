// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { clock, count, percent, seconds, si } from "./format";
import type { Model } from "./model";
import { Interval } from "./parts";
import type { Exploration } from "./records";
import { Table, type Column } from "./table";
import { Throughput } from "./throughput";

const COLUMNS: Column<Exploration>[] = [
  { title: "from", width: "90px", right: true, cell: (row) => `${clock(row.begin)} s` },
  { title: "for", width: "80px", right: true, cell: (row) => (Number.isNaN(row.end) ? "…" : seconds(row.end - row.begin)) },
  { title: "objective", width: "minmax(140px, 1fr)", cell: (row) => `${row.objective}${row.unit ? ` (${row.unit})` : ""}` },
  { title: "candidates", width: "105px", right: true, cell: (row) => count(row.candidates) },
  { title: "trials", width: "70px", right: true, cell: (row) => count(row.trials) },
  { title: "chosen", width: "minmax(140px, 1fr)", cell: (row) => <code>{row.chosen || "–"}</code> },
  { title: "verdict", width: "110px", cell: (row) => row.verdict || "exploring" },
  { title: "gain, 95 % interval", width: "minmax(220px, 1fr)", cell: (row) => <Interval gain={row.gain} range={null} /> },
];

function Card({ title, value, hint }: { title: string; value: string; hint?: string }) {
  return <div class="card"><span class="muted">{title}</span><strong title={hint ?? value}>{value}</strong></div>;
}

export function Overview({ model, version, theme }: { model: Model; version: number; theme: string }) {
  const made = model.compilations.filter((each) => each.kind === "compile");
  const decided = model.decisions.at(-1);
  const gain = decided && model.variants.get(decided.text)?.gain;
  const running = model.explorations.filter((each) => Number.isNaN(each.end)).length;
  const active = [...model.active.values()];
  return (
    <>
      <div class="cards">
        <Card title="time" value={seconds(model.end)} />
        <Card title="explorations" value={running ? `${model.explorations.length}, ${running} open` : count(model.explorations.length)} />
        <Card title="last decision" value={decided?.text ?? "–"} />
        <Card title="gain" value={gain ? percent(gain.mean) : "–"} hint={decided?.verdict} />
        <Card title={model.active.size > 1 ? `active (${model.active.size} handlers)` : "active"} value={active.length ? [...new Set(active)].slice(0, 3).join(", ") : "generic"} hint={active.join("\n")} />
        <Card title="compilations" value={`${count(made.length)}, ${seconds(made.reduce((sum, each) => sum + (each.milliseconds || 0), 0) / 1e3)}`} />
        <Card title="failures" value={count(model.failures.length)} />
        <Card title="switches" value={si(model.switches.length)} hint={count(model.switches.length)} />
      </div>
      <section aria-labelledby="throughput-title">
        <h2 id="throughput-title">{model.objective === "score" ? "Objective" : `Objective: ${model.objective}`}</h2>
        <Throughput model={model} version={version} theme={theme} />
      </section>
      <section>
        <h2>Explorations</h2>
        <Table label="Explorations" rows={model.explorations} columns={COLUMNS} id={(row) => model.explorations.indexOf(row)} empty="No exploration in the log." />
      </section>
    </>);
}
