// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A uPlot chart that follows its width, its data and the colors of the page.
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { tick } from "./format";

export interface Colors {
  text: string;
  panel: string;
  muted: string;
  line: string;
  accent: string;
  trial: string;
  span: string;
  good: string;
  bad: string;
  series: string[];
}

export function colors(): Colors {
  const style = getComputedStyle(document.documentElement);
  const of = (name: string) => style.getPropertyValue(name).trim();
  return { text: of("--text"), panel: of("--panel"), muted: of("--muted"), line: of("--line"), accent: of("--accent"), trial: of("--trial"), span: of("--span"),
    good: of("--good"), bad: of("--bad"), series: [1, 2, 3, 4, 5, 6, 7, 8].map((i) => of(`--series-${i}`)) };
}

const FONT = "12px system-ui, sans-serif";

export function axes(paint: Colors, yLabel: string, yValues: (value: number) => string = tick): uPlot.Axis[] {
  const common = { stroke: paint.muted, font: FONT, labelFont: FONT, grid: { stroke: paint.line, width: 1 }, ticks: { stroke: paint.line, width: 1, size: 4 } };
  return [
    { ...common, label: "time since the log was opened (s)", labelSize: 20, size: 30, space: 70 },
    { ...common, label: yLabel, labelSize: 20, size: 66, values: (_, splits) => splits.map((value) => (value === null ? "" : yValues(value))) },
  ];
}

interface Props {
  label: string; // for those who cannot see it
  data: uPlot.AlignedData;
  height: number;
  theme: string; // the chart is made again if it changes
  options: (paint: Colors) => Omit<uPlot.Options, "width" | "height">;
}

export function Chart({ label, data, height, theme, options }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const zoomed = useRef(false);
  useLayoutEffect(() => {
    const element = box.current!;
    const made = new uPlot({ ...options(colors()), width: Math.max(280, element.clientWidth), height }, data, element);
    plot.current = made;
    zoomed.current = false;
    made.over.addEventListener("mouseup", () => setTimeout(() => (zoomed.current = !isWhole(made)), 0));
    made.over.addEventListener("dblclick", () => (zoomed.current = false));
    const observer = new ResizeObserver(() => made.setSize({ width: Math.max(280, element.clientWidth), height }));
    observer.observe(element);
    return () => {
      observer.disconnect();
      made.destroy();
    };
  }, [theme, data.length, height]);
  // A zoomed chart keeps its part of the time while data is added.
  useEffect(() => plot.current?.setData(data, !zoomed.current), [data]);
  return <div class="chart" role="img" aria-label={label} ref={box} />;
}

function isWhole(plot: uPlot): boolean {
  const times = plot.data[0];
  const { min, max } = plot.scales.x!;
  return times.length === 0 || (min! <= times[0]! && max! >= times[times.length - 1]!);
}
