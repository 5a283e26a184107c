// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The tried configurations in parallel coordinates: an axis for each label, and one for the score, which colors the lines.
import { useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { colors } from "./chart";
import { count, si, withUnit } from "./format";
import type { Model } from "./model";
import type { Variant } from "./records";

const GENERIC = "generic";
const MOST_LABELS = 12;
const MOST_VALUES = 24; // whose names are written at an axis
const PAD = { left: 76, right: 96, top: 34, bottom: 16 };

interface Axis {
  label: string;
  place: Map<string, number>; // from 0, the bottom, to 1
  names: [string, number][];
}

/** From blue to yellow, readable on light and dark and by the color-blind. */
const STOPS: [number, number, number][] = [[68, 57, 145], [49, 104, 160], [33, 145, 140], [94, 190, 92], [214, 192, 34]];
export function heat(share: number): string {
  const at = Math.max(0, Math.min(1, share)) * (STOPS.length - 1);
  const i = Math.min(STOPS.length - 2, Math.floor(at));
  const mix = STOPS[i]!.map((from, part) => Math.round(from + (STOPS[i + 1]![part]! - from) * (at - i)));
  return `rgb(${mix.join(",")})`;
}

const valueOf = (variant: Variant, label: string) => variant.settings.find(([name]) => name === label)?.[1].replaceAll("!", "") ?? GENERIC;

function axisOf(label: string, variants: readonly Variant[]): Axis {
  const values = [...new Set(variants.map((each) => valueOf(each, label)))].sort((a, b) => {
    if (a === GENERIC || b === GENERIC) return a === b ? 0 : a === GENERIC ? -1 : 1;
    const difference = Number(a) - Number(b);
    return Number.isNaN(difference) ? (a < b ? -1 : 1) : difference;
  });
  const place = new Map(values.map((value, i) => [value, values.length === 1 ? 0.5 : i / (values.length - 1)]));
  const step = Math.ceil(values.length / MOST_VALUES);
  return { label, place, names: [...place].filter((_, i) => i % step === 0 || i === values.length - 1) };
}

// A call takes only so many arguments: Math.min(...) fails with some 100,000 numbers.
function rangeOf(numbers: readonly number[]): [number, number] {
  let low = Infinity, high = -Infinity;
  for (const each of numbers) [low, high] = [Math.min(low, each), Math.max(high, each)];
  return [low, high];
}

export function Space({ model, version, theme, open }: { model: Model; version: number; theme: string; open: (text: string) => void }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const [width, setWidth] = useState(0);
  const [near, setNear] = useState<Variant | null>(null);
  const variants = useMemo(() => [...model.variants.values()].filter((each) => each.trials.length > 0 && Number.isFinite(each.score)), [model, version]);
  const labels = useMemo(() => [...model.labels].filter((label) => variants.some((each) => valueOf(each, label) !== GENERIC)), [variants]);
  const axes = useMemo(() => labels.slice(0, MOST_LABELS).map((label) => axisOf(label, variants)), [labels, variants]);
  const [low, high] = rangeOf(variants.map((each) => model.value(each.score)));
  const height = Math.max(320, Math.min(620, Math.max(0, ...axes.map((axis) => axis.names.length)) * 20 + 120));
  const x = (i: number) => PAD.left + (i * (width - PAD.left - PAD.right)) / Math.max(1, axes.length);
  const y = (share: number) => height - PAD.bottom - share * (height - PAD.top - PAD.bottom);
  const share = (value: number) => (high > low ? (value - low) / (high - low) : 0.5);
  const points = (variant: Variant): [number, number][] => [
    ...axes.map((axis, i): [number, number] => [x(i), y(axis.place.get(valueOf(variant, axis.label)) ?? 0)]),
    [x(axes.length), y(share(model.value(variant.score)))],
  ];

  useLayoutEffect(() => {
    const element = canvas.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setWidth(element.parentElement!.clientWidth));
    observer.observe(element.parentElement!);
    return () => observer.disconnect();
  }, [variants.length > 0]);

  useLayoutEffect(() => {
    const element = canvas.current;
    if (!element || width === 0) return;
    const ratio = devicePixelRatio;
    element.width = width * ratio;
    element.height = height * ratio;
    const ctx = element.getContext("2d")!;
    const paint = colors();
    ctx.scale(ratio, ratio);
    ctx.clearRect(0, 0, width, height);
    const ordered = [...variants].sort((a, b) => (model.lessIsBetter ? 1 : -1) * (model.value(b.score) - model.value(a.score)));
    const line = (variant: Variant, alpha: number, size: number) => {
      ctx.globalAlpha = alpha;
      ctx.lineWidth = size;
      const good = model.lessIsBetter ? 1 - share(model.value(variant.score)) : share(model.value(variant.score));
      ctx.strokeStyle = heat(good);
      ctx.beginPath();
      const path = points(variant);
      path.forEach(([px, py], i) => {
        if (i === 0) return ctx.moveTo(px, py);
        const [qx, qy] = path[i - 1]!;
        ctx.bezierCurveTo((px + qx) / 2, qy, (px + qx) / 2, py, px, py);
      });
      ctx.stroke();
    };
    for (const variant of ordered) line(variant, variants.length > 200 ? 0.35 : 0.75, 1.75);
    if (near) line(near, 1, 4);
    ctx.globalAlpha = 1;
    ctx.fillStyle = paint.text;
    const axisAt = (at: number, title: string) => {
      ctx.strokeStyle = paint.muted;
      ctx.lineWidth = 1;
      drawAxis(ctx, at, title, y(0), y(1));
      // A margin around the names of values, which lines may cross.
      ctx.strokeStyle = paint.panel;
      ctx.lineWidth = 4;
      ctx.lineJoin = "round";
    };
    axes.forEach((axis, i) => {
      axisAt(x(i), axis.label);
      ctx.textAlign = "right";
      for (const [name, place] of axis.names) tick(ctx, x(i), y(place), shortened(name, 11), -8, paint.text);
    });
    axisAt(x(axes.length), model.lessIsBetter ? "mean cost" : "mean score");
    ctx.textAlign = "left";
    for (const part of [0, 0.25, 0.5, 0.75, 1]) tick(ctx, x(axes.length), y(part), withUnit(low + part * (high - low), ""), 8, paint.text);
  }, [variants, axes, width, height, theme, near]);

  if (variants.length === 0) return <p class="empty">No configuration was tried: the log has no event trial with a score.</p>;
  const moved = (event: MouseEvent) => {
    const box = canvas.current!.getBoundingClientRect();
    setNear(nearest(variants, points, event.clientX - box.left, event.clientY - box.top));
  };
  return (
    <section>
      <h2>Tried configurations</h2>
      <p class="muted">{count(variants.length)} configurations of {labels.length === 1 ? "one label" : `${count(labels.length)} labels`}{labels.length > MOST_LABELS && `, of which the first ${MOST_LABELS} are shown`}. Color: <span class="ramp" style={{ background: `linear-gradient(90deg, ${[0, 0.25, 0.5, 0.75, 1].map(heat).join(",")})` }} /> worst to best, from {si(model.lessIsBetter ? high : low)} to {withUnit(model.lessIsBetter ? low : high, model.unit)}.</p>
      <div class="space"><canvas ref={canvas} style={{ width: `${width}px`, height: `${height}px` }} role="img" aria-label="Parallel coordinates of the tried configurations; the tab Variants has them as a table"
        onMouseMove={moved} onMouseLeave={() => setNear(null)} onClick={() => near && open(near.text)} /></div>
      <p class="note">{near ? <><code>{near.text}</code> {withUnit(model.value(near.score), model.unit)}, {count(near.trials.length)} trials</> : "Point at a line to read it; a click shows the variant."}</p>
    </section>);
}

const shortened = (name: string, most: number) => (name.length > most ? `${name.slice(0, most - 1)}…` : name);

function drawAxis(ctx: CanvasRenderingContext2D, at: number, title: string, bottom: number, top: number): void {
  ctx.beginPath();
  ctx.moveTo(at, bottom);
  ctx.lineTo(at, top);
  ctx.stroke();
  ctx.font = "600 12px system-ui, sans-serif";
  ctx.textAlign = "center";
  ctx.fillText(shortened(title, 18), at, top - 16);
  ctx.font = "12px system-ui, sans-serif";
}

function tick(ctx: CanvasRenderingContext2D, at: number, height: number, name: string, side: number, color: string): void {
  ctx.fillStyle = color;
  ctx.fillRect(at - 2, height - 0.5, 5, 1);
  ctx.strokeText(name, at + side, height + 4);
  ctx.fillText(name, at + side, height + 4);
}

function nearest(variants: readonly Variant[], points: (variant: Variant) => [number, number][], px: number, py: number): Variant | null {
  let best: Variant | null = null, least = 14;
  for (const variant of variants) {
    const path = points(variant);
    for (let i = 1; i < path.length; ++i) {
      const [ax, ay] = path[i - 1]!, [bx, by] = path[i]!;
      if (px < ax || px > bx || bx === ax) continue;
      // The line is a Bézier curve with level ends, close to a cosine.
      const along = (px - ax) / (bx - ax);
      const distance = Math.abs(ay + ((by - ay) * (1 - Math.cos(Math.PI * along))) / 2 - py);
      if (distance < least) [best, least] = [variant, distance];
    }
  }
  return best;
}
