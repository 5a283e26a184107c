// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The code of a variant next to the generic code: source, IR and assembly.
import { useEffect, useMemo, useState } from "preact/hooks";
import { compare } from "./diff";
import { field, list, number, text } from "./events";
import type { CodeOf } from "./feed";
import { count, plural } from "./format";
import { fileOf, GUARD, handlerCode, type HandlerCode, type Line, type Version } from "./listing";
import { Pane, type Chosen } from "./pane";
import type { Variant } from "./records";

const VIEWS = ["side by side", "IR", "assembly"] as const;
const MOST_ROWS = 4000; // of a comparison

export function Code({ code, variant }: { code: CodeOf; variant: Variant }) {
  const [view, setView] = useState<(typeof VIEWS)[number]>("side by side");
  const [all, setAll] = useState<unknown>(undefined);
  const [problem, setProblem] = useState("");
  const wanted = variant.text;
  useEffect(() => {
    let isCurrent = true;
    code?.(wanted).then((made) => isCurrent && setAll(made), (error) => isCurrent && setProblem(String(error)));
    return () => { isCurrent = false; };
  }, [code, wanted]);
  if (!code) return <p class="muted">Not in this page. <code>--program PROGRAM</code> of <code>sartor report</code> and <code>sartor view</code> adds it.</p>;
  const error = field(all, "error");
  if (problem || error) return <p class="bad">{problem || `${text(error, "code")}: ${text(error, "message")}`}{text(error, "remedy") && ` (${text(error, "remedy")})`}</p>;
  if (all === undefined) return <p class="muted">Compiling…</p>;
  const found = list(all, "variants").filter((each) => text(each, "text") === wanted);
  if (found.length === 0)
    return <p class="muted">{field(all, "left_out") ? `Left out: the page has the code of the first ${count(number(all, "limit"))} variants only.` : "The generic code, or code that was not compiled."}</p>;
  return (
    <>
      <div class="bar" role="group" aria-label="Form of the code">
        {VIEWS.map((each) => <button type="button" key={each} aria-pressed={view === each} onClick={() => setView(each)}>{each}</button>)}
        <span class="legend"><i class="key box gone" />only in generic code <i class="key box new" />only in the variant, or folded <i class="key box guard" />guard <i class="key box why" />why not</span>
      </div>
      {found.map((each, i) => <Handler key={i} all={all} of={each} view={view} variant={variant} />)}
    </>);
}

function Handler({ all, of, view, variant }: { all: unknown; of: unknown; view: (typeof VIEWS)[number]; variant: Variant }) {
  const handler = text(of, "handler");
  const loops = useMemo(() => variant.compilations.filter((each) => each.handler === text(of, "name")).slice(-1).flatMap((each) => list(field(each.item.fields, "fold_report"), "loops")), [of, variant]);
  const code = useMemo(() => handlerCode(all, of, loops), [all, of, loops]);
  if (text(of, "error")) return <p><code>{handler}</code>: <span class="bad">{text(of, "error")}</span></p>;
  const textOf = (version: Version) => (view === "IR" ? version.ir : version.assembly).map((line) => line.text);
  return (
    <div>
      <h4><code>{handler}</code></h4>
      {text(of, "refused") && <p class="bad">The runtime refuses this variant: {text(of, "refused")}</p>}
      {view === "side by side" ? <SideBySide code={code} /> : <Comparison generic={textOf(code.generic)} variant={textOf(code.variant)} />}
    </div>);
}

const WHICH = ["variant", "generic code", "both"] as const;

function SideBySide({ code }: { code: HandlerCode }) {
  const [which, setWhich] = useState<(typeof WHICH)[number]>("variant");
  const [file, setFile] = useState(code.first);
  const [hovered, setHovered] = useState<Chosen | null>(null);
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const source = code.files.get(file);
  const chosenBy = (line: Line | null): Chosen | null => (line && line.keys.length > 0 ? { exact: line.keys[0]!, chain: new Set(line.keys) } : null);
  const hover = (line: Line | null) => setHovered(chosenBy(line));
  const choose = (line: Line) => {
    setChosen(chosenBy(line));
    const here = line.keys.map(fileOf);
    if (here.length > 0 && !here.includes(file)) setFile(here[0]!);
  };
  const shared = { lit: hovered ?? chosen, chosen, hover, choose };
  const versions = [["generic code", code.generic], ["variant", code.variant]] as const;
  const panes = (["ir", "assembly"] as const).flatMap((kind) => versions.filter(([name]) => which === "both" || which === name)
    .map(([name, version]) => {
      const label = `${kind === "ir" ? "IR" : "Assembly"} of the ${name}`;
      const lines = version[kind], cut = version.cut[kind];
      return <Pane key={label} label={label} lines={lines} note={cut ? `the first ${count(lines.length)} of ${count(cut)} lines` : undefined} {...shared} />;
    }));
  return (
    <>
      <div class="bar" role="group" aria-label="Code of">
        {WHICH.map((each) => <button type="button" key={each} aria-pressed={which === each} onClick={() => setWhich(each)}>{each}</button>)}
        {code.files.size > 1 && (
          <select aria-label="Source file" value={file} onChange={(event) => setFile(Number(event.currentTarget.value))}>
            {[...code.files].map(([index, each]) => <option key={index} value={index}>{each.name.split("/").slice(-3).join("/")}</option>)}
          </select>)}
      </div>
      {source
        ? <p class="muted path" title={source.name}><bdi>{source.name}</bdi>{source.error && `: ${source.error}; line numbers alone`}{source.newer && <b class="bad">: changed after the program was built</b>}{source.cut && ": not all of it is in the page"}</p>
        : <p class="muted">The program has no source lines: its handlers were compiled without them.</p>}
      <div class="panes">
        {source && <Pane key={`source ${file}`} label="Source" note={`${plural(source.lines.filter((line) => line.look === "folded").length, "line")} folded; IR instructions: generic → variant`} isSource lines={source.lines} {...shared} />}
        {panes}
      </div>
    </>);
}

function Comparison({ generic, variant }: { generic: string[]; variant: string[] }) {
  const rows = useMemo(() => compare(generic.join("\n"), variant.join("\n")), [generic, variant]);
  const gone = rows.filter((row) => row.right === null).length, fresh = rows.filter((row) => row.left === null).length;
  const line = (content: string | null, other: string | null, side: string) =>
    <td class={content === null ? "none" : GUARD.test(content) ? "guard" : other === null ? side : ""}>{content}</td>;
  return (
    <>
      <p class="muted">{count(generic.length)} lines of generic code, {count(gone)} of them gone; {count(variant.length)} lines of the variant, {count(fresh)} of them new. Lines that differ in register names only count as the same.{rows.length > MOST_ROWS && ` The first ${count(MOST_ROWS)} rows:`}</p>
      <div class="listing" tabIndex={0} role="region" aria-label="Generic code and variant">
        <table>
          <thead><tr><th scope="col">generic</th><th scope="col">variant</th></tr></thead>
          <tbody>{rows.slice(0, MOST_ROWS).map((row, i) => <tr key={i}>{line(row.left, row.right, "gone")}{line(row.right, row.left, "new")}</tr>)}</tbody>
        </table>
      </div>
    </>);
}
