// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// report.mjs SARTOR CHROMIUM WORK PROGRAM: reports in a browser: tabs, keyboard, colors and code.
import { check, line, more, open, report, run, same, shows } from "./harness.mjs";

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

// The first exploration is of a cost, since other programs have the processors.
const CROWDED = [
  { t: 0.01, event: "crowded", objective: "throughput", lost: 0.4, compared: "cost of throughput" },
  { t: 0.02, event: "explore_start", candidates: 2, objective: "cost of throughput", unit: "s" },
  { t: 0.1, event: "trial", configuration: {}, text: "{}", score: -1e-6, seconds: 0.1 },
  { t: 0.2, event: "trial", configuration: settings, text: "{columns=8,mode=2}", score: -5e-7, seconds: 0.1 },
  { t: 0.3, event: "decide", configuration: settings, text: "{columns=8,mode=2}", mean: 5e-7, low: 4e-7, high: 8e-7, verdict: "better", gain: 1, gain_low: 0.9, gain_high: 1.1 },
  { t: 0.4, event: "window", score: 2000000, value: 2000000, cost: 5e-7, text: "{columns=8,mode=2}" },
  { t: 0.5, event: "explore_start", candidates: 2, objective: "throughput", unit: "rows/s" },
  { t: 0.6, event: "trial", configuration: settings, text: "{columns=8,mode=2}", score: 2000000, seconds: 0.1 },
].map(line).join("");

const pane = (label) => `dialog .lines[aria-label="${label}"]`;
const tab = (page) => page.textContent("[role=tab][aria-selected=true]");
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
      ["Guards", "columns", "42", "replug", "address 0x5581"], ["Compilations", "12.5 ms", "321 B"], ["Why not", "point_unused", "value_outside_choices", "9 is not in the range", "give 0 to 3", "leave the point generic"], ["Events", "explore_start", "11 of 11"]];
    for (const [i, [name, ...words]] of expected.entries()) {
      await page.keyboard.press(String(i + 1));
      check((await tab(page)).startsWith(name), `key ${i + 1} shows ${name}`);
      for (const each of words) await shows(page, each);
    }
    await page.keyboard.press("6");
    await page.focus("[aria-label=Failures]");
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    await shows(page, "a value is not among the choices");
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

  async showsCostsAsRates(browser) {
    const page = await open(browser, report("crowded", CROWDED).url);
    for (const words of ["Objective: throughput", "trials of costs: per processor second", "cost of throughput (s)"]) await shows(page, words);
    await page.keyboard.press("2");
    for (const words of ["2 M rows/s", "1 M rows/s", "mean score"]) await shows(page, words);
    same(page.problems.join(), "", "problems");
  },

  async showsAVariant(browser) {
    const page = await open(browser, report("code", SMALL, "--program", program).url);
    await page.keyboard.press("2");
    await page.focus("[aria-label=Variants]");
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    await page.waitForSelector(pane("Source"));
    const detail = () => page.textContent("dialog.detail");
    for (const words of ["{columns=8,mode=2}", "active", "12.5 ms", "quasi-invariant table: 7 loads folded", "loop in scale, line 12: 4 copies", "Fix: Use the value that the point returns", "define "])
      check((await detail()).includes(words), `the variant has ${words}: ${await detail()}`);
    await page.click("dialog button:text-is('IR')");
    check((await detail()).includes("sartor.guard"), "guards");
    check((await page.locator(".listing td.gone").count()) > 0 && (await page.locator(".listing td.new").count()) > 0, "differences are marked");
    await page.click("dialog button:text-is('assembly')");
    check(/\bretq?\b/.test(await detail()), "assembly");
    await page.click("dialog .code");
    await shows(page, "nothing is computed from its value");
    await page.waitForSelector("#remark-point_unused.chosen");
    same(page.problems.join(), "", "problems");
  },

  async linksSourceIrAndAssembly(browser) {
    const page = await open(browser, report("lines", SMALL, "--program", program).url);
    await page.keyboard.press("2");
    await page.focus("[aria-label=Variants]");
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    const [ir, assembly] = ["IR of the variant", "Assembly of the variant"];
    const line = (of, words) => page.locator(`${pane(of)} .line`, { hasText: words }).first();
    const lit = (of) => page.locator(`${pane(of)} .line.lit`);
    // A setting's effect is at its point, and code for other modes is gone.
    await line("Source", 'sartor_enum("columns", columns, 4, 8, 16)').waitFor();
    await line("Source", "columns = 8: ").waitFor();
    check(/\bfolded\b/.test(await line("Source", "cell += 7").getAttribute("class")), "a line that folded");
    check(/\d+ → 0/.test(await line("Source", "cell += 7").textContent()), "its instructions");
    check(!/\bfolded\b/.test(await line("Source", "cell ^= cell >> 5").getAttribute("class")), "a line that is left");
    // From the source to the code.
    await line("Source", "cell ^= cell >> 5").click(); // brings it into sight
    await lit(ir).first().waitFor();
    check(/lshr|xor|load|store/.test((await lit(ir).allTextContents()).join()), "the IR of a line");
    await lit(assembly).first().waitFor();
    same(await lit("Source").count(), 1, "highlighted source lines");
    await line("Source", "SARTOR_HANDLER void scale_rows").hover();
    await page.waitForFunction(() => !document.querySelector('dialog .lines[aria-label="Source"] .line.lit').textContent.includes("cell ^= cell"));
    await page.locator(".path").hover();
    await page.waitForFunction(() => document.querySelector('dialog .lines[aria-label="Source"] .line.lit').textContent.includes("cell ^= cell"));
    // And back.
    await line(ir, /xor <?|lshr/).hover();
    await lit("Source").first().waitFor();
    check((await lit("Source").allTextContents()).join().includes("cell ^= cell >> 5"), "the source of a line of IR");
    // By keyboard.
    await page.focus(pane("Source"));
    const cursor = (words) => page.waitForFunction((wanted) => document.querySelector('dialog .lines[aria-label="Source"] .line.cursor')?.textContent.includes(wanted), words);
    await page.keyboard.press("Home");
    await cursor("");
    await line("Source", "default:").click();
    await page.keyboard.press("ArrowDown");
    await cursor("cell ^= cell >> 5");
    await lit(assembly).first().waitFor();
    check((await page.locator(`${pane(ir)} [aria-selected=true]`).count()) > 0, "the choice of the keyboard");
    same(await page.getAttribute(pane("Source"), "aria-activedescendant"), "source-cursor", "the active line");
    await page.focus(pane(ir));
    await page.keyboard.press("Home");
    await page.keyboard.press("n");
    await page.waitForSelector(`${pane(ir)} .line.cursor`);
    // Generic code next to it.
    await page.click("dialog button:text-is('both')");
    same(await page.locator(".pane").count(), 5, "panes");
    await line("Source", "cell += 7").click();
    await lit("IR of the generic code").first().waitFor();
    check((await page.locator(`${pane("IR of the generic code")} .line.gone`).count()) > 0, "generic code that is gone");
    same(page.problems.join(), "", "problems");
  },

  async saysWhyAVariantIsNotActive(browser) {
    const of = (event, columns, more = {}) => line({ t: 1, event, handler: "_Z10scale_rowsPjiii", configuration: { columns }, text: `{columns=${columns}}`, ...more });
    const compiled = (columns) => of("compile", columns, { milliseconds: 3, code_bytes: 99, resident_bytes: 999 });
    const log = line({ t: 0, event: "explore_start", candidates: 2, objective: "throughput", unit: "rows/s" }) + [1, 2, 3, 4, 5, 6].map(compiled).join("") +
      of("trial", 1, { score: 9, seconds: 0.1 }) + of("trial", 2, { score: 5, seconds: 0.1 }) + of("decide", 1, { mean: 9, low: 8, high: 10, verdict: "better", gain: 1, gain_low: 0.9, gain_high: 1.1 }) +
      of("switch", 3) + line({ t: 1, event: "replug", handler: "_Z10scale_rowsPjiii", to: "generic", invariants: 1 }) + of("difference", 4, { code: "different_result", message: "1 is not 2", compared: "calls" }) +
      of("switch", 5) + of("switch", 1);
    const page = await open(browser, report("inactive", log).url);
    await page.keyboard.press("2");
    for (const [columns, words] of [[2, /has chosen \{columns=1\}.*Fix: /], [3, /An invariant that it depends on was revoked.*Fix: /], [4, /another result than the native code.*line 13 of the events/], [5, /\{columns=1\} became active instead.*Fix: /],
      [6, /nothing has activated it.*Fix: /]]) {
      await page.click(`.row:has-text('{columns=${columns}}')`);
      check(words.test(await page.textContent("dialog .inactive")), `why ${columns} is not active: ${await page.textContent("dialog .inactive")}`);
      await page.keyboard.press("Escape");
      await page.waitForSelector("dialog", { state: "detached" });
    }
    await page.click(".row:has-text('{columns=1}')");
    same(await page.locator("dialog .inactive").count(), 0, "reasons for the active variant");
    await page.keyboard.press("Escape");
    // An operator has the last word.
    const off = await open(browser, report("off", log + line({ t: 2, event: "operator", did: "off", name: "scale_rows" })).url);
    await off.keyboard.press("2");
    await off.click(".row:has-text('{columns=2}')");
    check((await off.textContent("dialog .inactive")).includes("An operator has switched its handler off."), "switched off");
    // After a difference, no switch says that native code runs again.
    const differs = await open(browser, report("differs", log + of("difference", 1, { code: "different_result", message: "1 is not 2", compared: "calls" })).url);
    await shows(differs, "generic");
    await differs.keyboard.press("2");
    same(await differs.locator(".row .chip.good:text-is('active')").count(), 0, "active variants after a difference");
    await differs.click(".row:has-text('{columns=1}')");
    check((await differs.textContent("dialog .inactive")).includes("another result than the native code"), "the variant that was active differs");
    // Nor after an invariant was revoked, unless another variant is left.
    const replug = (to) => line({ t: 2, event: "replug", handler: "_Z10scale_rowsPjiii", to, invariants: 0 });
    const revoked = await open(browser, report("revoked", log + replug("generic")).url);
    await revoked.keyboard.press("2");
    same(await revoked.locator(".row .chip.good:text-is('active')").count(), 0, "active variants after a revoked invariant");
    await revoked.click(".row:has-text('{columns=1}')");
    check((await revoked.textContent("dialog .inactive")).includes("An invariant that it depends on was revoked"), "the variant that was active depends on an invariant");
    const fallen = await open(browser, report("fallen", log + replug("scale_rows{columns=6}")).url);
    await fallen.keyboard.press("2");
    same(await fallen.locator(".row .chip.good:text-is('active')").count(), 1, "active variants after a fall back");
    same(await fallen.locator(".row:has-text('{columns=6}') .chip.good:text-is('active')").count(), 1, "the variant that is left is active");
    same([page, off, differs, revoked, fallen].flatMap((each) => each.problems).join(), "", "problems");
  },

  async forgetsWhatAnEarlierRunHasActivated(browser) {
    const of = { handler: "_Z10scale_rowsPjiii", configuration: { columns: 8 }, text: "{columns=8}" };
    const log = [{ t: 0.1, event: "explore_start", candidates: 2, objective: "throughput", unit: "rows/s" }, { t: 5, event: "switch", ...of }, { t: 6, event: "operator", did: "off", name: "scale_rows" },
      { t: 0.1, event: "compile", ...of, milliseconds: 3, code_bytes: 99, resident_bytes: 999 }].map(line).join("");
    const page = await open(browser, report("runs", log).url);
    check((await page.textContent(".top")).includes("2 runs"), "the number of runs");
    for (const words of ["activegeneric", "not finished"]) await shows(page, words);
    check(!(await page.textContent("#panel")).includes("1 open"), "open explorations of an earlier run");
    await page.keyboard.press("2");
    same(await page.locator(".row .chip.good:text-is('active')").count(), 0, "active variants of an earlier run");
    await page.click(".row:has-text('{columns=8}')");
    check((await page.textContent("dialog .inactive")).includes("nothing has activated it"), "why it is not active in this run");
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
});
