// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A large event log, and the measurement of its page; for the test and for bench/observe_page.sh.

/** An event log of a search: `events` lines, with `variants` different configurations. */
export function largeLog(events, variants) {
  const lines = [{ t: 0, event: "explore_start", candidates: variants, objective: "throughput", unit: "requests/s" }];
  const configuration = (i) => ({ A: i % 10, B: 2 ** (Math.floor(i / 10) % 10), C: Math.floor(i / 100) });
  const textOf = (of) => `{A=${of.A},B=${of.B},C=${of.C}}`;
  for (let i = 1; i < events - 1; ++i) {
    const of = configuration(i % variants);
    const common = { t: i / 1000, handler: "_Z5serveRK7Requestm", configuration: of, text: textOf(of) };
    const { handler: _, ...whole } = common;
    if (i <= variants) lines.push({ ...common, event: "compile", quick: false, milliseconds: 5 + (i % 40), code_bytes: 400 + i, resident_bytes: 2000 + i });
    else if (i % 3 === 0) lines.push({ ...common, event: "switch", quick: false });
    else if (i % 3 === 1) lines.push({ ...whole, event: "trial", score: 1e6 + 1e5 * Math.sin(i) + 1e4 * of.A, error: 1e4, sample_count: 8, cut_short: false, seconds: 0.002 });
    else lines.push({ t: i / 1000, event: "guards", failures: { A: i % 7, B: 1 } });
  }
  const best = configuration(7);
  lines.push({ t: events / 1000, event: "decide", configuration: best, text: textOf(best), mean: 1.1e6, low: 1.05e6, high: 1.15e6, windows: 40, verdict: "better", gain: 0.3, gain_low: 0.25, gain_high: 0.35, seconds: 3 });
  return lines.map((line) => JSON.stringify(line)).join("\n") + "\n";
}

/** Milliseconds until something is painted, and until the report is drawn. */
export async function paint(browser, url) {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  page.setDefaultTimeout(120000);
  await page.goto(url);
  await page.waitForSelector("[role=tab]");
  const times = await page.evaluate(() => new Promise((done) => {
    const look = () => {
      const first = performance.getEntriesByName("first-contentful-paint")[0];
      const drawn = performance.getEntriesByName("sartor-drawn")[0];
      if (first && drawn) done({ first: first.startTime, drawn: drawn.startTime });
      else setTimeout(look, 10);
    };
    look();
  }));
  return { page, ...times };
}

/** Scrolls a table for a second, and returns the milliseconds of each frame. */
export function scroll(page, label) {
  return page.evaluate(([label]) => new Promise((done) => {
    const table = document.querySelector(`[aria-label="${label}"]`);
    const frames = [];
    const begin = performance.now();
    let last = begin;
    const step = (now) => {
      frames.push(now - last);
      last = now;
      if (now - begin > 1000) return done(frames.slice(1));
      table.scrollTop = ((now - begin) / 1000) * table.scrollHeight;
      requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }), [label]);
}
