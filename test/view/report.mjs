// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// report.mjs SARTOR CHROMIUM WORK PROGRAM: reports in a browser: tabs, keyboard, colors, code, hostile and large logs.
import { check, line, more, open, report, run, same } from "./harness.mjs";
import { largeLog, paint, scroll } from "./large.mjs";

const [program] = more;
const settings = { columns: 8, mode: 2 };
const SMALL = [
  { t: 0.01, event: "explore_start", candidates: 4, objective: "throughput", unit: "rows/s" },
  { t: 0.1, event: "compile", handler: "_Z10scale_rowsPjiii", configuration: settings, text: "{columns=8,mode=2}", quick: false, milliseconds: 12.5, code_bytes: 321, resident_bytes: 2048,
    remarks: [{ code: "point_unused", label: "mode", message: "nothing is computed from it" }],
    fold_report: { invariants: [{ invariant: 3, quasi_invariant: "table", loads: 7, depended_on: true }], loops: [{ function: "scale", line: 12, copies: 4 }], followed: "whole" } },
  { t: 0.2, event: "switch", handler: "_Z10scale_rowsPjiii", configuration: settings, text: "{columns=8,mode=2}" },
  { t: 0.3, event: "trial", configuration: {}, text: "{}", score: 1000000, seconds: 0.1 },
  { t: 0.4, event: "trial", configuration: settings, text: "{columns=8,mode=2}", score: 2000000, seconds: 0.1 },
  { t: 0.5, event: "trial", configuration: { mode: 9 }, text: "{mode=9}", failed: true, error: 'value_outside_choices: "mode": 9 is not in the range (give 0 to 3)' },
  { t: 0.6, event: "decide", configuration: settings, text: "{columns=8,mode=2}", mean: 2000000, low: 1900000, high: 2100000, verdict: "better", gain: 1, gain_low: 0.9, gain_high: 1.1 },
  { t: 0.7, event: "guards", failures: { columns: 41 } },
  { t: 0.8, event: "guards", failures: { columns: 1 } },
  { t: 0.9, event: "replug", handler: "_Z10scale_rowsPjiii", to: "generic", invariants: 1 },
  { t: 1.0, event: "quasi_invariant_invalidated_late", quasi_invariant: "table", address: "0x5581" },
].map(line).join("");

const tab = (page) => page.textContent("[role=tab][aria-selected=true]");
const panel = (page) => page.textContent("#panel");
async function shows(page, words) {
  try {
    await page.waitForFunction((wanted) => document.getElementById("panel").textContent.includes(wanted), words, { timeout: 15000 });
  } catch {
    throw new Error(`not in the tab: ${words}; it has: ${(await panel(page)).slice(0, 2000)}`);
  }
}

await run({
  async worksWithoutNetwork(browser) {
    const { url } = report("small", SMALL);
    const page = await open(browser, url);
    same(page.requests.join(), url, "requests");
    same(page.problems.join(), "", "problems");
    check((await page.textContent(".top")).includes("11 lines"), "the number of lines");
  },

  async showsAllTabsByKeyboard(browser) {
    const page = await open(browser, report("small", SMALL).url);
    const expected = [["Overview", "throughput (rows/s)", "+100 % (+90 % to +110 %)"], ["Variants", "{columns=8,mode=2}", "scale_rows", "2 M rows/s"], ["Space", "2 configurations of 2 labels"],
      ["Guards", "columns", "42", "replug", "address 0x5581"], ["Compilations", "12.5 ms", "321 B"], ["Why not", "point_unused", "value_outside_choices", "9 is not in the range", "give 0 to 3", "leave it generic"], ["Events", "explore_start", "11 of 11"]];
    for (const [i, [name, ...words]] of expected.entries()) {
      await page.keyboard.press(String(i + 1));
      check((await tab(page)).startsWith(name), `key ${i + 1} shows ${name}`);
      for (const each of words) await shows(page, each);
    }
    await page.keyboard.press("1");
    await page.focus("[role=tab][aria-selected=true]");
    await page.keyboard.press("ArrowRight");
    check((await tab(page)).startsWith("Variants"), "→ shows the next tab");
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("ArrowLeft");
    check((await tab(page)).startsWith("Events"), "← goes around");
    await page.keyboard.press("?");
    check((await page.textContent("dialog[open]")).includes("Keyboard"), "? shows the help");
    await page.keyboard.press("Escape");
    same(await page.locator("dialog[open]").count(), 0, "open dialogs");
    await page.keyboard.press("/");
    await page.waitForFunction(() => document.activeElement.id === "find-events");
    await page.keyboard.type("0x5581");
    await shows(page, "1 of 11");
    same(page.problems.join(), "", "problems");
  },

  async showsAVariant(browser) {
    const page = await open(browser, report("code", SMALL, "--program", program).url);
    await page.keyboard.press("2");
    await page.focus("[aria-label=Variants]");
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    const detail = () => page.textContent("dialog.detail");
    for (const words of ["{columns=8,mode=2}", "active", "12.5 ms", "quasi-invariant table: 7 loads folded", "loop in scale, line 12: 4 copies", "define ", "sartor.guard"])
      check((await detail()).includes(words), `the variant has ${words}: ${await detail()}`);
    check((await page.locator(".listing td.gone").count()) > 0 && (await page.locator(".listing td.new").count()) > 0, "differences are marked");
    await page.click("dialog button:text-is('assembly')");
    check(/\bretq?\b/.test(await detail()), "assembly");
    await page.click("dialog button:text-is('source')");
    check((await detail()).includes("sartor_enum(\"columns\", columns, 4, 8, 16)") && (await detail()).includes("columns = 8"), `source: ${await detail()}`);
    await page.click("dialog .code");
    await shows(page, "computes nothing from a set point");
    await page.waitForSelector("#remark-point_unused.chosen");
    same(page.problems.join(), "", "problems");
  },

  async isLightOrDark(browser) {
    const { url } = report("small", SMALL);
    const lightness = (page) => page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).slice(0, 3).reduce((a, b) => a + Number(b), 0));
    const dark = await open(browser, url, { colorScheme: "dark" });
    check((await lightness(dark)) < 200, "dark as the system");
    await dark.keyboard.press("t");
    check((await lightness(dark)) > 600, "light by the switch");
    const light = await open(browser, url, { colorScheme: "light" });
    check((await lightness(light)) > 600, "light as the system");
    await light.keyboard.press("t");
    await light.keyboard.press("t");
    check((await lightness(light)) < 200, "dark by the switch");
  },

  async fitsNarrowWindows(browser) {
    const page = await open(browser, report("small", SMALL).url, { viewport: { width: 400, height: 800 } });
    for (let i = 1; i <= 7; ++i) {
      await page.keyboard.press(String(i));
      check(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth && document.getElementById("panel").scrollWidth <= innerWidth), `tab ${i} is not wider than the window`);
    }
  },

  async runsNothingOfAHostileLog(browser) {
    const attack = "</script><script>window.hacked=1;alert(1)</script><img src=x onerror=\"window.hacked=1\"><!--<svg onload=alert(2)>{{x}}${x}";
    const events = [
      { t: 1, event: attack, [attack]: attack },
      { t: 1, event: "compile", handler: attack, text: attack, configuration: { [attack]: attack, ["__proto__x"]: 1 }, milliseconds: attack, code_bytes: {}, resident_bytes: [], remarks: [{ code: attack, message: attack }, null, 3, "x"], fold_report: { invariants: attack, loops: [null, { function: attack }], followed: attack } },
      { t: 1, event: "trial", text: attack, configuration: null, score: 1, seconds: -1e300 },
      { t: 1, event: "trial", text: 7, configuration: [1], score: "NaN", failed: 3 },
      { t: 2, event: "explore_start", objective: attack, unit: attack, candidates: -1 },
      { t: 3, event: "window", value: 5, score: 5, text: attack },
      { t: 3, event: "confirm", text: attack, against: attack, gain: null, low: "a", high: {} },
      { t: 4, event: "decide", text: attack, configuration: { a: { values: [attack], guard: false } }, mean: 1e308, low: -1e308, high: 1e308, gain: 1e300, gain_low: 1, gain_high: 1e301, verdict: attack },
      { t: 4, event: "guards", failures: { [attack]: 1, constructor: 2, toString: "x" } },
      { t: 4, event: "guards", failures: attack },
      { t: 5, event: "quasi_invariant_valid", quasi_invariant: attack, held: "x" },
      { t: 5, event: "economy", quasi_invariant: "__proto__", worth: attack },
      { t: 6, event: "replug", handler: attack, to: attack },
      { t: 7, event: "failure", code: "javascript:alert(1)", subject: attack, message: attack, remedy: attack },
      { t: 1e300, event: "switch", text: attack, handler: "__proto__" },
    ].map(line).join("");
    const proto = '{"t":8,"event":"compile","text":"p","handler":"h","configuration":{"__proto__":{"polluted":1}},"__proto__":{"polluted":1}}\n';
    const damaged = ['{"t":1,"event":"switch"', '{"t":1}', "[1,2]", "null", '{"event":5,"t":1}', "\u0000\u0001\u0002", `{"t":1,"event":"x","a":${"[".repeat(5000)}${"]".repeat(5000)}}`, '{"t":1,"event":"x","a":1e999}', attack].join("\n") + "\n";
    const bytes = Buffer.concat([Buffer.from(events + proto + damaged), Buffer.from([0x7b, 0xff, 0xfe, 0x80, 0x7d, 0x0a]), Buffer.from(`{"t":1,"event":"x","a":"${"y".repeat(2 << 20)}"}\n`),
      Buffer.from(`{"t":1,"event":"x","a":"${"z".repeat(9 << 20)}"}\n`), Buffer.from(`\r\n\n{"t":9,"event":"last","a":"\xff"`, "latin1")]);
    const { url, out } = report("hostile", bytes);
    same(out.trim().split(": ").pop(), "16 events, 13 damaged lines", "the report");
    const page = await open(browser, url);
    check((await page.textContent(".top")).includes("13 damaged lines"), "damaged lines are counted");
    for (let i = 1; i <= 7; ++i) {
      await page.keyboard.press(String(i));
      await page.waitForTimeout(100);
    }
    await page.selectOption("select", "(damaged)");
    await shows(page, "13 of 29");
    await page.focus("[aria-label=Events]");
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".shown");
    check((await page.textContent(".shown")).includes("This line is no event"), "a damaged line is shown");
    await page.keyboard.press("2");
    await page.focus("[aria-label=Variants]");
    await page.keyboard.press("Home");
    for (let i = 0; i < 4; ++i) {
      await page.keyboard.press("Enter");
      await page.waitForSelector("dialog[open]");
      await page.keyboard.press("Escape");
      await page.focus("[aria-label=Variants]");
      await page.keyboard.press("ArrowDown");
    }
    await page.waitForTimeout(200);
    same(await page.evaluate(() => [window.hacked, {}.polluted].join()), ",", "injected values");
    same(await page.evaluate(() => document.querySelectorAll("img, svg[onload], script:not([type]):not(:last-of-type)").length), 0, "injected elements");
    same(page.problems.join(), "", "problems");
    same(page.requests.join(), url, "requests");
    // The policy stands, too, should something be injected some day.
    await page.evaluate(() => { const script = document.createElement("script"); script.textContent = "window.hacked = 1"; document.body.append(script); });
    same(await page.evaluate(() => window.hacked), undefined, "a script that was added");
  },

  async showsALargeLog(browser) {
    const { url } = report("large", largeLog(100_000, 1000));
    const { page, first, drawn } = await paint(browser, url);
    console.log(`100,000 events: first paint after ${first.toFixed(0)} ms, drawn after ${drawn.toFixed(0)} ms`);
    for (const [key, label] of [["7", "Events"], ["2", "Variants"]]) {
      await page.keyboard.press(key);
      await page.waitForSelector(`[aria-label=${label}] [role=row]`);
      const frames = await scroll(page, label);
      console.log(`${label}: ${frames.length} frames while scrolling for a second, the longest ${Math.max(...frames).toFixed(0)} ms`);
      check((await page.locator(`[aria-label=${label}] [role=row]`).count()) < 100, "only rows in sight are drawn");
      await page.focus(`[aria-label=${label}]`);
      await page.keyboard.press("End");
      await page.waitForSelector(`[aria-label=${label}] [aria-rowindex="${label === "Events" ? 100_001 : 1001}"]`);
    }
    await page.keyboard.press("/");
    await page.keyboard.type('"mean":1100000');
    await shows(page, "1 of 100,000");
  },
});
