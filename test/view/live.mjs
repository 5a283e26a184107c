// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// live.mjs SARTOR CHROMIUM WORK: `sartor view` of a log and of a program's control socket, and requests that it refuses.
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check, line, more, open, run, same, view, work } from "./harness.mjs";

const [program] = more;

/** Sends a request with any headers; returns the status. */
const status = (url, path, headers = {}, method = "GET") => new Promise((done, fail) => {
  const { hostname, port } = new URL(url);
  const sent = request({ hostname, port, path, method, headers, setHost: !("Host" in headers) }, (answer) => {
    answer.resume();
    answer.on("end", () => done(answer.statusCode));
  });
  sent.on("error", fail);
  sent.end();
});

const waitFor = (page, words) => page.waitForFunction((wanted) => document.body.textContent.includes(wanted), words);

await run({
  async followsALog(browser) {
    const log = join(work, "live.jsonl");
    writeFileSync(log, line({ t: 0.1, event: "explore_start", candidates: 2, objective: "throughput", unit: "rows/s" }));
    const viewer = await view(log);
    const page = await open(browser, viewer.url);
    await waitFor(page, "1 line");
    await waitFor(page, "1, 1 open");
    appendFileSync(log, line({ t: 1, event: "trial", configuration: { N: 4 }, text: "{N=4}", score: 5, seconds: 0.1 }) + '{"t":2,"event":"swi');
    await waitFor(page, "2 lines");
    appendFileSync(log, `tch","text":"{N=4}","handler":"power"}\nnot an event\n${" ".repeat(6 << 20)}\n`);
    await waitFor(page, "5 lines");
    await waitFor(page, "2 damaged lines");
    check((await page.textContent("#panel")).includes("{N=4}"), "the active configuration");
    await page.keyboard.press("p");
    await waitFor(page, "paused");
    appendFileSync(log, line({ t: 3, event: "switch", text: "{N=5}", handler: "power" }));
    await page.waitForTimeout(1500);
    check(!(await page.textContent("#panel")).includes("{N=5}"), "paused");
    await page.keyboard.press("p");
    await waitFor(page, "{N=5}");
    // Another run of the program that writes its log anew.
    writeFileSync(log, line({ t: 0.5, event: "switch", text: "{N=9}", handler: "power" }));
    await waitFor(page, "1 line");
    check(!(await page.textContent("#panel")).includes("{N=5}"), "the earlier events are gone");
    // A longer file that takes its place.
    writeFileSync(`${log}.new`, [1, 2, 3, 4].map((n) => line({ t: n, event: "switch", text: `{N=${n}}`, handler: "power" })).join(""));
    renameSync(`${log}.new`, log);
    await waitFor(page, "4 lines");
    check(!(await page.textContent(".top")).includes("damaged"), "the new file is read from its beginning");
    appendFileSync(log, line({ t: 5, event: "switch", text: "{N=6}", handler: "power" }));
    await waitFor(page, "5 lines");
    same(page.problems.join(), "", "problems");
    const origin = new URL(viewer.url).origin;
    check(page.requests.every((each) => each.startsWith(origin)), `requests: ${page.requests.join()}`);
    same(await viewer.stop(), 0, "status of sartor view");
    await waitFor(page, "`sartor view` has ended");
  },

  async makesTheCodeOfVariants(browser) {
    const log = join(work, "code.jsonl");
    const compiled = (columns) => line({ t: 1, event: "compile", handler: "_Z10scale_rowsPjiii", configuration: { columns }, text: `{columns=${columns}}`, milliseconds: 3, code_bytes: 99, resident_bytes: 999 });
    writeFileSync(log, compiled(4));
    const viewer = await view(log, {}, "--program", program);
    const page = await open(browser, viewer.url);
    await waitFor(page, "1 line");
    appendFileSync(log, compiled(16));
    await waitFor(page, "2 lines");
    await page.keyboard.press("2");
    await page.click(".row:has-text('{columns=16}')");
    await page.waitForSelector('dialog .lines[aria-label="Source"] .line:has-text("columns = 16")');
    await page.waitForSelector('dialog .lines[aria-label="Assembly of the variant"] .line:has-text("scale_rows{columns=16}")');
    same(page.problems.join(), "", "problems");
    const { pathname } = new URL(viewer.url);
    const get = async (query) => (await fetch(`${viewer.url}code${query}`)).json();
    same((await get("?text=%7Bcolumns%3D4%7D")).variants.length, 1, "variants of an event");
    same((await get("?text=%7Bcolumns%3D8%7D")).variants.length, 0, "variants that no event has");
    same(await status(viewer.url, `${pathname}code?program=/etc/passwd`), 400, "another question");
    same(await status(viewer.url, `${pathname}code?text=x`, { "Sec-Fetch-Site": "cross-site" }), 403, "another site");
    await viewer.stop();
  },

  async refusesOtherSites() {
    const log = join(work, "refused.jsonl");
    writeFileSync(log, line({ t: 1, event: "secret" }));
    const viewer = await view(log);
    const { host, pathname, port, hostname } = new URL(viewer.url);
    same(hostname, "127.0.0.1", "the address");
    check(/^\/[0-9a-f]{32}\/$/.test(pathname), `a random path: ${pathname}`);
    const events = `${pathname}events?after=0`;
    same(await status(viewer.url, events), 200, "its own page");
    same(await status(viewer.url, events, { Origin: `http://${host}`, "Sec-Fetch-Site": "same-origin" }), 200, "its own origin");
    for (const [headers, what] of [[{ Host: `evil.example:${port}` }, "DNS rebinding"], [{ Host: `localhost:${port}` }, "another name"], [{ Host: "127.0.0.1" }, "another port"], [{ Origin: "http://evil.example" }, "another origin"],
      [{ Origin: "null" }, "a sandboxed page"], [{ "Sec-Fetch-Site": "cross-site" }, "another site"], [{ "Sec-Fetch-Site": "same-site" }, "another port of this machine"]])
      same(await status(viewer.url, events, headers), 403, what);
    same(await status(viewer.url, "/"), 404, "without the path");
    same(await status(viewer.url, "/00000000000000000000000000000000/events?after=0"), 404, "another path");
    same(await status(viewer.url, pathname.slice(0, -2)), 404, "a part of the path");
    same(await status(viewer.url, `${pathname}../../etc/passwd`), 404, "a file");
    same(await status(viewer.url, events, {}, "POST"), 405, "POST");
    same(await status(viewer.url, `${pathname}events?after=-1`), 400, "a wrong number");
    same(await status(viewer.url, `${pathname}code?text=x`), 404, "code without a program");
    same(await viewer.stop(), 0, "status of sartor view");
  },

  async asksAProgram(browser) {
    const folder = mkdtempSync(join(tmpdir(), "sartor-view-"));
    mkdirSync(join(folder, "sartor"), { mode: 0o700 });
    const events = [];
    let first = 0, refuses = false;
    const answers = {
      status: () => ({ pid: process.pid, program: "/opt/fake/program", sartor: "0.9", uptime_seconds: 12.5,
        runtimes: [{ id: 1, source: "power.c", off: ["sum"], pinned: { n: 8 }, handlers: [{ handler: "power", off: false, active: events.length > 1 ? { name: "power{n=8}", code_bytes: 120 } : null, bindings: { count: 0 },
          comparison: { how: "isolated", text: "in a child process, because it calls getenv() at power.c:7", compared: 41, differences: 2, quarantined: 3 } }],
          statistics: { variants: 1, switches: events.length }, guard_failures: { n: 3 }, executions: {} }],
        compile_queue: { waiting: 6, running: [{ kind: "template", text: "power{n=5}", tier: "full", seconds: 0.5 }] }, explorers: [{ state: "watching", objective: "throughput", explorations: 5, decision: { verdict: "better", gain: 0.25, gain_low: 0.2, gain_high: 0.3, configuration: { n: 8 } } }], quasi_invariants: [{ name: "table", valid: true, held: 1, invalidated: 2, made: 3 }] }),
      variants: () => ({ variants: [{ runtime: 1, name: "power{n=8}", handler: "power", configuration: { n: 8 }, address: 0x7f0012, code_bytes: 120, resident_bytes: 4096, quick: false, active: true, compared: 17, differs: true, comparison: { how: "isolated" } }] }),
      events: ({ after }) => ({ dropped: Math.max(first - after, 0), next: events.length, events: events.slice(Math.max(after, first)) }),
    };
    const server = createServer((socket) => {
      let received = "";
      socket.on("data", (data) => {
        received += data;
        for (let end = received.indexOf("\n"); end >= 0; end = received.indexOf("\n")) {
          const asked = JSON.parse(received.slice(0, end));
          received = received.slice(end + 1);
          const answer = refuses ? { ok: false, error: { code: "bad_argument", subject: "x", message: "refused by <b>hand</b>", remedy: "wait" } } : { ok: asked.version === 1, ...answers[asked.do](asked) };
          socket.write(line({ version: 1, ...answer }));
        }
      });
      socket.on("error", () => {});
    });
    const path = join(folder, "sartor", `${process.pid}.sock`);
    await new Promise((done) => server.listen(path, done));
    events.push({ t: 1, event: "switch", handler: "power", text: "{n=2}" });
    const viewer = await view(String(process.pid), { XDG_RUNTIME_DIR: folder });
    const page = await open(browser, viewer.url);
    await waitFor(page, "/opt/fake/program");
    await waitFor(page, "1 line");
    await page.keyboard.press("8");
    for (const words of ["native code", "switched off", "0x7f0012", "25", "5", "watching", "table", "12.5 s", "41 calls, in a child process, because it calls getenv() at power.c:7", "2 differed", "3 quarantined", "17 differs", "6 waiting", "power{n=5}"]) await waitFor(page, words);
    events.push({ t: 2, event: "switch", handler: "power", text: "{n=8}" });
    await waitFor(page, "2 lines");
    await waitFor(page, "power{n=8}");
    for (let i = 0; i < 8; ++i) events.push({ t: 3, event: "switch", handler: "power", text: "{n=9}" });
    first = 5; // the program keeps the last five
    await waitFor(page, "3 events not seen");
    refuses = true;
    await waitFor(page, "bad_argument: refused by <b>hand</b>");
    refuses = false;
    await waitFor(page, "7 lines");
    await page.waitForFunction(() => document.querySelector("button.live").textContent === "live");
    same(page.problems.join(), "", "problems");
    await viewer.stop();
    server.close();
    rmSync(folder, { recursive: true });
  },
});
