// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the program answers to `status`.
import { entries, field, list, number, text } from "./events";
import { bytes, count, percent, seconds, setting } from "./format";

const objects = (from: unknown, name: string) => list(from, name).filter((each) => typeof each === "object" && each !== null);

export function State({ status }: { status: unknown }) {
  if (!status) return <p class="empty">No answer of the program yet.</p>;
  return (
    <>
      <section>
        <h2>Program</h2>
        <dl class="facts">
          <dt>program</dt><dd><code>{text(status, "program")}</code></dd>
          <dt>process</dt><dd>{number(status, "pid")}</dd>
          <dt>runs for</dt><dd>{seconds(number(status, "uptime_seconds"))}</dd>
          <dt>Sartor</dt><dd>{text(status, "sartor")}</dd>
        </dl>
      </section>
      {objects(status, "runtimes").map((runtime, i) => <Runtime key={i} runtime={runtime} />)}
      <section>
        <h2>Compile queue</h2>
        <p class="muted">{count(number(field(status, "compile_queue"), "waiting"))} waiting</p>
        {objects(field(status, "compile_queue"), "running").length > 0 && (
          <Rows titles={["compiled now", "", "tier", "since"]}
            rows={objects(field(status, "compile_queue"), "running").map((each) => [text(each, "kind"), <code>{text(each, "text")}</code>, text(each, "tier"), seconds(number(each, "seconds"))])} />)}
      </section>
      {objects(status, "explorers").length > 0 && (
        <section>
          <h2>Explorers</h2>
          <Rows titles={["objective", "state", "explorations", "verdict", "gain", "configuration"]}
            rows={objects(status, "explorers").map((each) => {
              const decision = field(each, "decision");
              return [text(each, "objective"), text(each, "state"), count(number(each, "explorations")), text(decision, "verdict") || "–",
                decision === undefined ? "–" : `${percent(number(decision, "gain"))} [${percent(number(decision, "gain_low"))}, ${percent(number(decision, "gain_high"))}]`,
                decision === undefined ? "–" : <code>{JSON.stringify(field(decision, "configuration"))}</code>];
            })} />
        </section>)}
      {objects(status, "quasi_invariants").length > 0 && (
        <section>
          <h2>Quasi-invariants</h2>
          <Rows titles={["name", "valid", "became valid", "invalidated", "variants"]}
            rows={objects(status, "quasi_invariants").map((each) => [<code>{text(each, "name")}</code>, field(each, "valid") === true ? <b class="chip good">valid</b> : "invalid", count(number(each, "held")), count(number(each, "invalidated")), count(number(each, "made"))])} />
        </section>)}
    </>);
}

function Runtime({ runtime }: { runtime: unknown }) {
  const off = list(runtime, "off").map(String);
  const pinned = entries(runtime, "pinned").map(([label, value]) => `${label}=${setting(value)}`).join(", ");
  return (
    <section>
      <h2>Runtime {number(runtime, "id")} <small class="muted">{text(runtime, "source")}</small></h2>
      <p class="muted">{entries(runtime, "statistics").map(([name, value]) => `${name.replaceAll("_", " ")} ${typeof value === "number" ? count(value) : JSON.stringify(value)}`).join("; ")}</p>
      {off.length > 0 && <p><b class="chip bad">switched off</b> {off.map((name) => name === "*" ? "all handlers" : name).join(", ")}</p>}
      {pinned !== "" && <p><b class="chip bad">pinned</b> <code>{pinned}</code></p>}
      <Rows titles={["handler", "active", "", "code", "bindings", "compared"]}
        rows={objects(runtime, "handlers").map((each) => {
          const active = field(each, "active");
          return [<code>{text(each, "handler")}</code>, <code>{text(active, "name") || "native code"}</code>,
            field(each, "off") === true ? <b class="chip bad">off</b> : "", active ? bytes(number(active, "code_bytes")) : "–",
            count(number(field(each, "bindings"), "count")), <Comparison of={field(each, "comparison")} />];
        })} />
      {objects(runtime, "variants").length > 0 && <>
        <h3>Variants in memory</h3>
        <Rows titles={["variant", "handler", "address", "code", "resident", "tier", "compared", ""]}
          rows={objects(runtime, "variants").map((each) => [<code>{text(each, "name")}</code>, <code>{text(each, "handler")}</code>, <code>{`0x${number(each, "address").toString(16)}`}</code>, bytes(number(each, "code_bytes")), bytes(number(each, "resident_bytes")),
            field(each, "quick") === true ? "quick" : "full", compared(each), field(each, "active") === true ? <b class="chip good">active</b> : ""])} />
      </>}
      {entries(runtime, "guard_failures").length > 0 && <>
        <h3>Guard failures</h3>
        <Rows titles={["label", "failures"]} rows={entries(runtime, "guard_failures").map(([label, value]) => [<code>{label}</code>, count(Number(value))])} />
      </>}
    </section>);
}

/** The compared calls of a variant. */
const compared = (variant: unknown) => !field(variant, "comparison") ? "–"
  : <>{count(number(variant, "compared"))} {field(variant, "differs") === true && <b class="chip bad">differs</b>}</>;

/** How calls of a handler are compared with the native code, and what that has found. */
function Comparison({ of }: { of: unknown }) {
  if (!of) return <>–</>;
  const differences = number(of, "differences"), quarantined = number(of, "quarantined");
  return (
    <>
      {count(number(of, "compared"))} calls, {text(of, "text")}
      {differences > 0 && <> <b class="chip bad">{count(differences)} differed</b></>}
      {quarantined > 0 && <> <b class="chip bad">{count(quarantined)} quarantined</b></>}
    </>);
}

function Rows({ titles, rows }: { titles: string[]; rows: (preact.ComponentChildren)[][] }) {
  return (
    <div class="scrolls"><table class="reference">
      <thead><tr>{titles.map((title, i) => <th key={i} scope="col">{title}</th>)}</tr></thead>
      <tbody>{rows.map((row, i) => <tr key={i}>{row.map((cell, j) => <td key={j}>{cell}</td>)}</tr>)}</tbody>
    </table></div>);
}
