// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bench.mjs SARTOR CHROMIUM WORK OUTPUT: measures a large report; see bench/observe_page.sh.
import { statSync, writeFileSync } from "node:fs";
import { launch, more, report } from "./harness.mjs";
import { largeLog, paint, scroll } from "./large.mjs";

const RUNS = 7;
const T = 2.447; // of Student's distribution, 95 %, for 6 degrees of freedom

function interval(name, unit, values, goal) {
  const mean = values.reduce((sum, each) => sum + each, 0) / values.length;
  const error = Math.sqrt(values.reduce((sum, each) => sum + (each - mean) ** 2, 0) / (values.length - 1) / values.length);
  return { name, value: mean, unit, low: mean - T * error, high: mean + T * error, ...(goal === undefined ? {} : { goal }) };
}

const { url, page: file } = report("bench", largeLog(100_000, 1000));
const first = [], drawn = [], frames = { Events: [], Variants: [] }, work = { Events: [], Variants: [] };
for (let run = 0; run < RUNS; ++run) {
  // A browser of its own for each run: nothing is cached.
  const browser = await launch();
  const painted = await paint(browser, url);
  first.push(painted.first);
  drawn.push(painted.drawn);
  const session = await painted.page.context().newCDPSession(painted.page);
  await session.send("Performance.enable", { timeDomain: "threadTicks" });
  const threadTime = async () => (await session.send("Performance.getMetrics")).metrics.find(({ name }) => name === "ThreadTime").value * 1000;
  for (const [key, label] of [["7", "Events"], ["2", "Variants"]]) {
    await painted.page.keyboard.press(key);
    await painted.page.waitForSelector(`[aria-label=${label}] [role=row]`);
    const before = await threadTime();
    const scrolled = await scroll(painted.page, label);
    work[label].push(((await threadTime()) - before) / scrolled.length);
    frames[label].push(scrolled.length / (scrolled.reduce((sum, each) => sum + each, 0) / 1000));
  }
  await browser.close();
}
const figures = [interval("first paint", "ms", first, 1000), interval("report drawn", "ms", drawn), interval("report size", "MiB", Array(RUNS).fill(statSync(file).size / 1048576))];
for (const label of ["Events", "Variants"]) {
  figures.push(interval(`scrolling ${label.toLowerCase()}`, "frames/s", frames[label], 60));
  figures.push(interval(`processor time per frame, ${label.toLowerCase()}`, "ms", work[label], 1000 / 60));
}
for (const { name, value, unit, low, high } of figures) console.log(`${name.padEnd(38)} ${value.toFixed(1).padStart(9)} ${unit.padEnd(9)} [${low.toFixed(1)}, ${high.toFixed(1)}]`);
writeFileSync(more[0], `${JSON.stringify({ bench: "observe_page", figures }, null, 1)}\n`);
console.log(`written: ${more[0]}`);
