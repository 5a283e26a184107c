// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// build.mjs REFERENCE OUTPUT: checks the types, and bundles the page into one HTML file, OUTPUT. REFERENCE is
// docs/reference, whose tables explain events, remarks and errors. `sartor` puts data in place of %DATA%, and the
// permission to connect in place of %CONNECT%.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import * as esbuild from "esbuild";

const here = fileURLToPath(new URL(".", import.meta.url));
const [reference, output] = process.argv.slice(2);
const fail = (message) => {
  console.error(`build.mjs: ${message}`);
  process.exit(1);
};
if (!output) fail("usage: node build.mjs REFERENCE OUTPUT");

/** The rows of the tables in a part of a page, as arrays of cells. */
function rows(text) {
  return text
    .split("\n")
    .filter((line) => /^\|.*`/.test(line))
    .map((line) => line.split(/(?<!\\)\|/).slice(1, -1).map((cell) => cell.trim()));
}
const names = (cell) => [...cell.matchAll(/`([^`]+)`/g)].map((match) => match[1]);
const plain = (cell) => cell.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replaceAll("`", "");

const events = readFileSync(join(reference, "events.md"), "utf8");
const explained = readFileSync(join(reference, "remarks.md"), "utf8");
const errors = readFileSync(join(reference, "errors.md"), "utf8");
const [log] = events.split("## Server log\n");
// Each section of remarks.md has a sentence, the fix, and reasons with their own.
const remarks = explained.split(/^## /m).slice(1).map((part) => {
  const [heading, meaning, fix] = part.split(/\n\n/);
  const reasons = part.split("\n").filter((line) => /^\| (?!reason \|)/.test(line)).map((line) => line.split("|").slice(1, 3).map((cell) => plain(cell.trim())));
  return [names(heading)[0], plain(meaning.trim()), plain(fix.trim().replace(/^Fix: /, "")), reasons];
});
const kinds = rows(log).flatMap(([event, when]) => names(event).map((name) => [name, plain(when)]));
const failures = rows(errors).filter((row) => row.length === 4).map(([, code, means, fix]) => [names(code)[0], plain(means), plain(fix)]);
if (remarks.length < 20 || remarks.some((row) => !row[0] || !row[1] || !row[2]) || kinds.length < 60 || failures.length < 50)
  fail(`docs/reference has changed its tables: ${remarks.length} remarks, ${kinds.length} events, ${failures.length} errors`);

const types = spawnSync(process.execPath, [join(here, "node_modules/typescript/bin/tsc"), "--project", here], { stdio: "inherit" });
if (types.status !== 0) fail("the types are wrong");

const options = { bundle: true, minify: true, write: false, charset: "utf8", legalComments: "none" };
const script = await esbuild.build({
  ...options,
  entryPoints: [join(here, "src/main.tsx")],
  format: "iife",
  target: ["chrome100", "firefox102", "safari15.4"],
  jsx: "automatic",
  jsxImportSource: "preact",
  define: { REFERENCE: JSON.stringify({ remarks, kinds, failures }) },
});
const style = await esbuild.build({ ...options, entryPoints: [join(here, "src/style.css")] });
const code = script.outputFiles[0].text.trim().replaceAll("</script", "<\\/script");
const look = style.outputFiles[0].text.trim();
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;
const policy = `default-src 'none'; script-src ${hash(code)}; style-src ${hash(look)}; img-src data:; connect-src %CONNECT%; base-uri 'none'; form-action 'none'`;

// Their licenses ask for their text in each copy.
const licenses = ["preact", "uplot"].map((name) => {
  const folder = join(here, "node_modules", name);
  return `${name} ${JSON.parse(readFileSync(join(folder, "package.json"), "utf8")).version}\n${readFileSync(join(folder, "LICENSE"), "utf8").trim()}`;
});
const template = readFileSync(join(here, "src/template.html"), "utf8");
const parts = { LICENSES: licenses.join("\n\n").replaceAll("--", "- -"), POLICY: policy, STYLE: look, SCRIPT: code };
writeFileSync(output, template.replace(/%(LICENSES|POLICY|STYLE|SCRIPT)%/g, (_, part) => parts[part]));
