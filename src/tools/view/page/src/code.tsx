// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The code of a variant next to the generic code: source, IR, assembly. `sartor report --program` has put it into the page.
import { useMemo, useState } from "preact/hooks";
import { compare } from "./diff";
import { entries, field, list, number, text } from "./events";
import { count, setting } from "./format";

const VIEWS = ["source", "IR", "assembly"] as const;

export function Code({ all, wanted }: { all: unknown; wanted: string }) {
  const [view, setView] = useState<(typeof VIEWS)[number]>("IR");
  const found = list(all, "variants").filter((each) => text(each, "text") === wanted);
  if (all === null) return <p class="muted">Not in this page. <code>sartor report LOG --program PROGRAM</code> adds it.</p>;
  if (found.length === 0)
    return <p class="muted">{field(all, "left_out") ? `Left out: the page has the code of the first ${count(number(all, "limit"))} variants only.` : "The generic code, or code that was not compiled."}</p>;
  return (
    <>
      <div class="bar" role="group" aria-label="Form of the code">
        {VIEWS.map((each) => <button type="button" key={each} aria-pressed={view === each} onClick={() => setView(each)}>{each}</button>)}
        <span class="legend"><i class="key box gone" />only in generic code <i class="key box new" />only in the variant <i class="key box guard" />guard</span>
      </div>
      {found.map((each, i) => <Handler key={i} all={all} of={each} view={view} />)}
    </>);
}

function Handler({ all, of, view }: { all: unknown; of: unknown; view: (typeof VIEWS)[number] }) {
  const handler = text(of, "handler");
  if (text(of, "error")) return <p><code>{handler}</code>: <span class="bad">{text(of, "error")}</span></p>;
  const generic = field(field(all, "generic"), handler);
  return (
    <div>
      <h4><code>{handler}</code></h4>
      {text(of, "refused") && <p class="bad">The runtime refuses this variant: {text(of, "refused")}</p>}
      {view === "source" ? <Source all={all} of={of} /> : <Listing generic={text(generic, view === "IR" ? "ir" : "assembly")} variant={text(of, view === "IR" ? "ir" : "assembly")} />}
    </div>);
}

/** Guards and side exits have these names in the IR. */
const GUARD = /sartor\.(guard|exit)/;

function Listing({ generic, variant }: { generic: string; variant: string }) {
  const rows = useMemo(() => compare(generic, variant), [generic, variant]);
  const gone = rows.filter((row) => row.right === null).length, fresh = rows.filter((row) => row.left === null).length;
  const line = (content: string | null, other: string | null, side: string) =>
    <td class={content === null ? "none" : GUARD.test(content) ? "guard" : other === null ? side : ""}>{content}</td>;
  return (
    <>
      <p class="muted">{count(generic.split("\n").length)} lines of generic code, {count(gone)} of them gone; {count(variant.split("\n").length)} lines of the variant, {count(fresh)} of them new. Lines that differ in register names only count as the same.</p>
      <div class="listing" tabIndex={0} role="region" aria-label="Generic code and variant">
        <table>
          <thead><tr><th scope="col">generic</th><th scope="col">variant</th></tr></thead>
          <tbody>{rows.map((row, i) => <tr key={i}>{line(row.left, row.right, "gone")}{line(row.right, row.left, "new")}</tr>)}</tbody>
        </table>
      </div>
    </>);
}

/** The source around the points of the handler, with their settings and effects. */
function Source({ all, of }: { all: unknown; of: unknown }) {
  const points = list(of, "points");
  const sites = list(all, "sites").filter((each) => list(each, "handlers").includes(text(of, "name")));
  const files = [...new Set(sites.map((each) => text(each, "file")))];
  if (files.length === 0) return <p class="muted">The program has no record of this handler's points.</p>;
  return (
    <>
      {files.map((file) => {
        const source = list(all, "sources").find((each) => text(each, "file") === file);
        if (!source || text(source, "error")) return <p key={file}><code>{file}</code>: <span class="muted">{text(source, "error") || "not in this page"}</span></p>;
        const first = number(source, "first");
        return (
          <div key={file}>
            <p class="muted">{file}</p>
            <div class="listing lines" tabIndex={0} role="region" aria-label={file}>
              <table><tbody>
                {text(source, "text").split("\n").map((content, i) => {
                  const here = sites.filter((each) => text(each, "file") === file && number(each, "line") === first + i);
                  const set = here.map((each) => points.find((point) => text(point, "label") === text(each, "label"))).filter((point) => point !== undefined);
                  const isSet = set.some((point) => field(point, "specialized") === true);
                  return (
                    <tr key={i}>
                      <td class="number">{first + i}</td>
                      <td class={isSet ? "new" : set.length ? "guard" : ""}>{content}</td>
                      <td class="about">{set.map((point) => <Effect key={text(point, "label")} point={point} />)}</td>
                    </tr>);
                })}
              </tbody></table>
            </div>
          </div>);
      })}
    </>);
}

function Effect({ point }: { point: unknown }) {
  const label = text(point, "label");
  if (field(point, "specialized") !== true) return <span>{label}: {list(point, "reasons").map(String).join("; ") || "generic"} </span>;
  const changes = entries(field(point, "effects"), "simplified")
    .map(([what, each]) => [what, number(each, "after") - number(each, "before")] as const)
    .filter(([, more]) => more !== 0)
    .map(([what, more]) => `${more > 0 ? "+" : "−"}${Math.abs(more)} ${what}`);
  const work = entries(field(point, "effects"), "work")
    .map(([what, each]) => [what, number(each, "after") - number(each, "before")] as const)
    .filter(([, more]) => more !== 0)
    .map(([what, more]) => `${more > 0 ? "+" : "−"}${Math.abs(more)} ${what}`);
  return <span><b>{label} = {setting(field(point, "setting"))}</b>: {[...changes, ...work].join(", ") || "nothing folded because of it"} </span>;
}
