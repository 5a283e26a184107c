// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tests of the page share.
import { spawn, spawnSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { chromium } from "playwright-core";

export const [sartor, browserPath, work, ...more] = process.argv.slice(2);

/** How long a test waits for what must occur, in milliseconds. */
export const patience = 120000;

export const launch = () => chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"], timeout: patience });

export function check(is, what) {
  if (!is) throw new Error(`not so: ${what}`);
}
export function same(value, expected, what) {
  check(value === expected, `${what}: ${JSON.stringify(value)} instead of ${JSON.stringify(expected)}`);
}

/** Writes a log and its report; returns the report's address. */
export function report(name, log, ...options) {
  const file = join(work, `${name}.jsonl`), page = join(work, `${name}.html`);
  writeFileSync(file, log);
  rmSync(page, { force: true });
  const ran = spawnSync(sartor, ["report", file, "-o", page, ...options], { encoding: "utf8" });
  same(ran.status, 0, `status of sartor report (${ran.stderr})`);
  return { url: pathToFileURL(page).href, file, page, out: ran.stdout };
}

/** Opens a page that must have no error, and must load nothing but itself. */
export async function open(browser, url, options = {}, until = "[role=tab]") {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  page.setDefaultTimeout(patience);
  page.problems = [];
  page.requests = [];
  page.on("pageerror", (error) => page.problems.push(error.message));
  page.on("dialog", (dialog) => { page.problems.push(`dialog: ${dialog.message()}`); void dialog.dismiss(); });
  page.on("console", (message) => message.type() === "error" && page.problems.push(message.text()));
  page.on("request", (request) => page.requests.push(request.url()));
  await page.goto(url);
  await page.waitForSelector(until);
  // The page listens for keys only after its first frame, or after 35 ms. Timers of a page fire in order.
  await page.evaluate(() => new Promise((done) => setTimeout(() => setTimeout(done), 200)));
  return page;
}

export const line = (fields) => `${JSON.stringify(fields)}\n`;

/** Waits until the current tab has these words. */
export async function shows(page, words) {
  try {
    await page.waitForFunction((wanted) => document.getElementById("panel").textContent.includes(wanted), words);
  } catch {
    throw new Error(`not in the tab: ${words}; it has: ${(await page.textContent("#panel")).slice(0, 2000)}`);
  }
}

/** Starts `sartor view`, and returns its address. */
export async function view(subject, environment = {}, ...options) {
  const child = spawn(sartor, ["view", subject, ...options], { stdio: ["ignore", "pipe", "inherit"], env: { ...process.env, ...environment } });
  process.once("exit", () => child.kill()); // of a test that has failed
  const [url] = await new Promise((done, fail) => {
    createInterface({ input: child.stdout }).once("line", (first) => done([first]));
    child.once("exit", (status) => fail(new Error(`sartor view has ended with ${status}`)));
  });
  return { url, stop: () => new Promise((done) => { child.removeAllListeners("exit"); child.once("exit", (status) => done(status)); child.kill("SIGTERM"); }) };
}

/** Runs all functions of a module in order. */
export async function run(tests) {
  const browser = await launch();
  let failed = 0;
  for (const [name, test] of Object.entries(tests)) {
    try {
      await test(browser);
      console.log(`ok: ${name}`);
    } catch (error) {
      ++failed;
      console.log(`FAILED: ${name}: ${error.stack}`);
    }
    for (const context of browser.contexts()) await context.close();
  }
  await browser.close();
  console.log(failed ? `${failed} failed` : "all is well");
  process.exit(failed ? 1 : 0);
}
