// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useMemo } from "preact/hooks";
import type uPlot from "uplot";
import { axes, Chart, type Colors } from "./chart";
import { list } from "./events";
import { bytes, clock, count, milliseconds, plural, seconds } from "./format";
import type { Model } from "./model";
import type { Compilation } from "./records";
import { Table, type Column } from "./table";

export function Compilations({ model, version, theme, open }: { model: Model; version: number; theme: string; open: (text: string) => void }) {
  const all = model.compilations;
  const data = useMemo((): uPlot.AlignedData => {
    const sorted = all.slice().sort((a, b) => a.t - b.t);
    const times = sorted.map((each) => each.t);
    const of = (kind: string) => sorted.map((each) => (each.kind === kind && each.milliseconds > 0 ? each.milliseconds : null));
    return [times, of("compile"), of("load")];
  }, [model, version]);
  const columns = useMemo((): Column<Compilation>[] => [
    { title: "time", width: "90px", right: true, sort: (row) => row.t, cell: (row) => `${clock(row.t)} s` },
    { title: "event", width: "80px", sort: (row) => row.kind, cell: (row) => row.kind },
    { title: "from", width: "110px", sort: (row) => row.from, cell: (row) => row.from || (row.quick ? "quick tier" : "–") },
    { title: "handler", width: "minmax(140px, 1fr)", sort: (row) => model.name(row.handler), cell: (row) => <code>{model.name(row.handler)}</code> },
    { title: "configuration", width: "minmax(160px, 1fr)", sort: (row) => row.text, cell: (row) => <code>{row.text}</code> },
    { title: "took", width: "90px", right: true, sort: (row) => row.milliseconds, cell: (row) => milliseconds(row.milliseconds) },
    { title: "code", width: "85px", right: true, sort: (row) => row.code, cell: (row) => bytes(row.code) },
    { title: "resident", width: "90px", right: true, sort: (row) => row.resident, cell: (row) => bytes(row.resident) },
    { title: "remarks", width: "90px", right: true, cell: (row) => list(row.item.fields, "remarks").length || "–" },
  ], [model]);
  const made = all.filter((each) => each.kind === "compile");
  const spent = made.reduce((sum, each) => sum + (each.milliseconds || 0), 0) / 1e3;
  const code = all.reduce((sum, each) => sum + (each.resident || 0), 0);
  return (
    <>
      <section>
        <h2>Compilations</h2>
        <p class="muted">{plural(made.length, "compilation")} in {seconds(spent)}; {plural(all.length - made.length, "time")} code was found instead; {bytes(code)} of code in all.</p>
        {all.length > 0 && <>
          <Chart label="Duration of compilations over time" data={data} height={240} theme={theme}
            options={(paint) => ({
              axes: axes(paint, "duration (ms)", String),
              scales: { x: { time: false }, y: { distr: 3 } },
              legend: { show: false },
              cursor: { drag: { x: true, y: false }, points: { show: false } },
              series: [{}, dots(paint.accent, "compile"), dots(paint.trial, "load")],
              hooks: { draw: [(plot) => bars(plot, paint)] },
            })} />
          <p class="legend"><span><i class="key dot accent" />compile: from begin to end</span><span><i class="key dot trial" />load: code was found</span><span class="muted">logarithmic scale</span></p>
        </>}
      </section>
      <section class="tall"><Table label="Compilations" rows={all} columns={columns} id={(row) => row.item.n} fill begin={{ column: 0, down: false }} open={(row) => open(row.text)} empty={`No compilation among ${plural(model.items.length, "event")}.`} /></section>
      <p class="note">{count(all.length)} rows; Enter or a click shows the variant.</p>
    </>);
}

const dots = (color: string, label: string): uPlot.Series => ({ label, stroke: color, width: 0, paths: () => null, points: { show: true, size: 6, fill: color, stroke: color } });

/** A line from the begin of each compilation to its end. */
function bars(plot: uPlot, paint: Colors): void {
  const { ctx, bbox } = plot;
  const [times, compiled, loaded] = plot.data;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.lineWidth = 2 * devicePixelRatio;
  for (const [values, color] of [[compiled, paint.accent], [loaded, paint.trial]] as const) {
    ctx.strokeStyle = color;
    ctx.beginPath();
    times.forEach((t, i) => {
      const took = values?.[i];
      if (!took) return;
      const y = plot.valToPos(took, "y", true);
      ctx.moveTo(plot.valToPos(t - took / 1e3, "x", true), y);
      ctx.lineTo(plot.valToPos(t, "x", true), y);
    });
    ctx.stroke();
  }
  ctx.restore();
}
