// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The objective over time: windows, trials, decisions; explorations are shaded, switches and changes marked.
import { useMemo, useRef } from "preact/hooks";
import uPlot from "uplot";
import { axes, Chart, type Colors } from "./chart";
import { clock, withUnit } from "./format";
import type { Model } from "./model";

const MOST_SPANS = 4000; // trials in sight that are drawn with their length
const STRIP = 10; // height of the marks of switches, in CSS pixels

function merged(model: Model): uPlot.AlignedData {
  const times: number[] = [], windows: (number | null)[] = [], trials: (number | null)[] = [];
  const all = [
    ...model.windows.map(({ t, value }) => ({ t, window: value as number | null, trial: null as number | null })),
    ...model.trials.map(({ t, score }) => ({ t, window: null as number | null, trial: model.value(score) as number | null })),
  ].sort((a, b) => a.t - b.t);
  for (const { t, window, trial } of all) {
    times.push(t);
    windows.push(window);
    trials.push(trial);
  }
  if (times.length === 0) return [times, windows, trials];
  // The axis shows the whole log.
  return [[Math.min(0, times[0]!), ...times, Math.max(model.end, times[times.length - 1]!)], [null, ...windows, null], [null, ...trials, null]];
}

function draw(plot: uPlot, model: Model, paint: Colors): void {
  const { ctx, bbox } = plot;
  const ratio = devicePixelRatio;
  const x = (t: number) => plot.valToPos(t, "x", true);
  const y = (value: number) => plot.valToPos(value, "y", true);
  const { min, max } = plot.scales.x as { min: number; max: number };
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.strokeStyle = paint.trial;
  ctx.lineWidth = 1.5 * ratio;
  const inSight = model.trials.filter((trial) => trial.t >= min && trial.t - trial.seconds <= max);
  if (inSight.length <= MOST_SPANS) {
    ctx.beginPath();
    for (const trial of inSight) {
      const at = y(model.value(trial.score));
      ctx.moveTo(x(trial.t - trial.seconds), at);
      ctx.lineTo(x(trial.t), at);
    }
    ctx.stroke();
  }
  ctx.strokeStyle = paint.bad;
  ctx.setLineDash([4 * ratio, 3 * ratio]);
  for (const { t } of model.changes) vertical(ctx, x(t), bbox.top, bbox.top + bbox.height);
  ctx.setLineDash([]);
  ctx.fillStyle = ctx.strokeStyle = paint.good;
  for (const decision of model.decisions) {
    const at = x(decision.t);
    const { mean, low, high } = model.estimate(decision);
    vertical(ctx, at, bbox.top, bbox.top + bbox.height);
    if (!Number.isFinite(mean) || model.scale === "other") continue;
    ctx.lineWidth = 3 * ratio;
    vertical(ctx, at, y(high), y(low));
    ctx.lineWidth = 1.5 * ratio;
    ctx.beginPath();
    ctx.arc(at, y(mean), 4 * ratio, 0, 2 * Math.PI);
    ctx.fill();
  }
  // One mark for all switches in a pixel.
  ctx.fillStyle = paint.muted;
  let previous = -1;
  for (const t of model.switches) {
    const at = Math.round(x(t));
    if (at === previous || t < min || t > max) continue;
    previous = at;
    ctx.fillRect(at, bbox.top + bbox.height - STRIP * ratio, Math.max(1, ratio), STRIP * ratio);
  }
  ctx.restore();
}

function vertical(ctx: CanvasRenderingContext2D, at: number, from: number, to: number): void {
  ctx.beginPath();
  ctx.moveTo(at, from);
  ctx.lineTo(at, to);
  ctx.stroke();
}

function shade(plot: uPlot, model: Model, paint: Colors): void {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.fillStyle = paint.span;
  for (const { begin, end } of model.explorations) {
    const left = Math.max(bbox.left, plot.valToPos(begin, "x", true));
    const right = Math.min(bbox.left + bbox.width, Number.isNaN(end) ? Infinity : plot.valToPos(end, "x", true));
    if (right > left) ctx.fillRect(left, bbox.top, right - left, bbox.height);
  }
  ctx.restore();
}

export function Throughput({ model, version, theme }: { model: Model; version: number; theme: string }) {
  const data = useMemo(() => merged(model), [model, version]);
  const note = useRef<HTMLParagraphElement>(null);
  const unit = model.unit;
  const title = unit ? `${model.objective} (${unit})` : model.scale === "other" ? `score of ${model.objective}` : model.objective;
  const says = (plot: uPlot) => {
    const index = plot.cursor.idx;
    if (!note.current) return;
    const t = index === null || index === undefined ? undefined : plot.data[0][index];
    if (t === undefined) note.current.textContent = "Drag to zoom in, double-click to zoom out.";
    else note.current.textContent = `${clock(t)} s: ${around(model, t)}`;
  };
  if (data[0].length === 0) return <p class="empty">No measurements: the log has no event window, trial or decide.</p>;
  return (
    <figure>
      <Chart label={`${title} over time`} data={data} height={300} theme={`${theme} ${title} ${model.scale}`}
        options={(paint) => ({
          axes: axes(paint, title),
          scales: { x: { time: false } },
          legend: { show: false },
          cursor: { drag: { x: true, y: false }, points: { show: false } },
          series: [
            {},
            { label: "window", stroke: paint.accent, width: 2, points: { show: true, size: 5, fill: paint.accent } },
            { label: "trial", stroke: paint.trial, width: 0, paths: () => null, points: { show: true, size: 5, fill: paint.trial, stroke: paint.trial } },
          ],
          hooks: { drawAxes: [(plot) => shade(plot, model, paint)], draw: [(plot) => draw(plot, model, paint)], setCursor: [says] },
        })} />
      <figcaption class="legend">
        <span><i class="key box span" />exploration</span>
        <span><i class="key line accent" />window</span>
        <span><i class="key dot trial" />trial</span>
        <span><i class="key line good" />decision</span>
        {model.changes.length > 0 && <span><i class="key dashed bad" />workload changed</span>}
        <span><i class="key tick" />switches</span>
        {model.explorations.some((each) => each.rate) && <span class="muted">trials of costs: per processor second</span>}
        {model.lessIsBetter && <span class="muted">less is better</span>}
      </figcaption>
      <p class="note" ref={note}>Drag to zoom in, double-click to zoom out.</p>
    </figure>);
}

/** The measurement at a time, in words. */
function around(model: Model, t: number): string {
  const trial = model.trials.find((each) => each.t === t);
  if (trial) return `trial ${trial.text}: ${withUnit(model.value(trial.score), model.unit)}`;
  const window = model.windows.find((each) => each.t === t);
  return window ? `window ${window.text}: ${withUnit(window.value, model.unit)}` : "";
}
