// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// hostile.mjs SARTOR CHROMIUM WORK PROGRAM CLANG INCLUDE: reports of a log and of a source file that attack the page, and of
// a large log.
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { check, line, more, open, report, run, same, shows, work } from "./harness.mjs";
import { largeLog, paint, scroll } from "./large.mjs";

await run({
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
      await page.waitForSelector("dialog", { state: "detached" });
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

  async runsNothingOfAHostileSourceFile(browser) {
    const [, clang, include] = more;
    const attack = '</script><script>window.hacked=1</script><img src=x onerror="window.hacked=1">\u202e';
    const name = `<img src=x onerror=window.hacked=1>"'&amp;</select>.c`;
    const folder = join(work, "hostile source");
    mkdirSync(folder, { recursive: true });
    const source = Buffer.concat([Buffer.from(`#include <sartor/points.h>\n/* ${attack} ${"w".repeat(200_000)} */\n// `), Buffer.from([0xff, 0xfe, 0x80, 0x00, 0x1b]),
      Buffer.from(`\nSARTOR_HANDLER int power(int base, int n) { // ${attack}\n  int result = 1;\n  for (int i = 0; i < sartor_range("n", n, 0, 9); ++i)\n    result *= base; // ${attack}\n  return result;\n}\n`),
      Buffer.from(`// ${attack}\n`.repeat(50_000))]);
    writeFileSync(join(folder, name.replaceAll("/", "∕")), source);
    const bitcode = join(folder, "hostile.bc");
    const compiled = spawnSync(clang, ["-DSARTOR_POINTS", "-O1", "-g", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-I", include, "-c", name.replaceAll("/", "∕"), "-o", bitcode], { cwd: folder, encoding: "utf8" });
    same(compiled.status, 0, `status of clang (${compiled.stderr})`);
    const { url } = report("source", line({ t: 1, event: "compile", handler: "power", configuration: { n: 3 }, text: "{n=3}", remarks: [{ code: "loop_in_part", message: attack }], fold_report: { loops: [{ function: attack, line: 7, why_not: attack }] } }), "--program", bitcode);
    const page = await open(browser, url);
    await page.keyboard.press("2");
    await page.focus("[aria-label=Variants]");
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    await page.waitForSelector('dialog .lines[aria-label="Source"] .line:has-text("result *= base")');
    check((await page.textContent(".path")).includes("<img src=x onerror=window.hacked=1>"), "the file's name is text");
    check((await page.textContent('dialog .lines[aria-label="Source"]')).includes("</script><script>window.hacked=1"), "its lines are text");
    check((await page.locator('dialog .line').count()) < 1000, "only lines in sight are drawn");
    for (const each of ["both", "IR", "assembly"]) await page.click(`dialog button:text-is('${each}')`);
    await page.waitForTimeout(200);
    same(await page.evaluate(() => window.hacked), undefined, "injected values");
    same(await page.evaluate(() => document.querySelectorAll("img, script:not([type]):not(:last-of-type)").length), 0, "injected elements");
    same(page.problems.join(), "", "problems");
    same(page.requests.join(), url, "requests");
    check((await page.content()).length < 3_000_000, "the page is small");
    // Only plain files are read.
    writeFileSync(join(folder, "device.c"), '#include <sartor/points.h>\n#line 1 "/dev/zero"\nSARTOR_HANDLER int power(int base, int n) { return base * sartor_range("n", n, 0, 9); }\n');
    same(spawnSync(clang, ["-DSARTOR_POINTS", "-O1", "-g", "-Xclang", "-disable-llvm-passes", "-emit-llvm", "-I", include, "-c", "device.c", "-o", "device.bc"], { cwd: folder }).status, 0, "status of clang");
    const device = await open(browser, report("device", line({ t: 1, event: "compile", handler: "power", configuration: { n: 3 }, text: "{n=3}" }), "--program", join(folder, "device.bc")).url);
    await device.keyboard.press("2");
    await device.click(".row:has-text('{n=3}')");
    await device.waitForSelector(".path:has-text('/dev/zero: is not a file; line numbers alone')");
    same(device.problems.join(), "", "problems");
  },

  async showsMoreConfigurationsThanACallTakesArguments(browser) {
    const trial = (i) => {
      const configuration = { A: i % 100, B: Math.floor(i / 100) };
      return JSON.stringify({ t: i / 1000, event: "trial", configuration, text: `{A=${configuration.A},B=${configuration.B}}`, score: 1e6 + i, error: 1e4, sample_count: 8, cut_short: false, seconds: 0.002 });
    };
    const log = Array.from({ length: 150_000 }, (_, i) => trial(i)).join("\n") + "\n";
    const page = await open(browser, report("many", log).url);
    await page.keyboard.press("3");
    await shows(page, "150,000 configurations of 2 labels");
    same(page.problems.join(), "", "problems");
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
    await page.waitForFunction(() => document.activeElement.id === "find-events");
    await page.keyboard.type('"mean":1100000');
    await shows(page, "1 of 100,000");
  },
});
