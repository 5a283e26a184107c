// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the program answers to `status`.
import { entries, field, list, number, text } from "./events";
import { bytes, count, seconds, setting } from "./format";

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
      {objects(status, "explorers").length > 0 && (
        <section>
          <h2>Explorers</h2>
          <Rows titles={["runtime", "state", "objective", "candidates", "trials", "decision"]}
            rows={objects(status, "explorers").map((each) => [number(each, "runtime"), text(each, "state"), text(each, "objective"), count(number(each, "candidates")), count(number(each, "trials")),
              field(each, "decision") === undefined ? "–" : <code>{text(field(each, "decision"), "text") || JSON.stringify(field(each, "decision"))}</code>])} />
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
  const queue = field(runtime, "compile_queue");
  return (
    <section>
      <h2>Runtime {number(runtime, "id")} <small class="muted">{text(runtime, "content")}</small></h2>
      <p class="muted">compile queue: {count(number(queue, "waiting"))} waiting, {count(number(queue, "running"))} running{entries(runtime, "statistics").map(([name, value]) => `; ${name.replaceAll("_", " ")} ${typeof value === "number" ? count(value) : JSON.stringify(value)}`)}</p>
      <Rows titles={["handler", "active", "", "pinned"]}
        rows={objects(runtime, "handlers").map((each) => [<code>{text(each, "handler")}</code>, <code>{text(each, "active") || "native code"}</code>,
          field(each, "off") === true ? <b class="chip bad">off</b> : "", entries(each, "pinned").map(([label, value]) => `${label}=${setting(value)}`).join(", ") || "–"])} />
      {objects(runtime, "variants").length > 0 && <>
        <h3>Variants in memory</h3>
        <Rows titles={["variant", "handler", "address", "code", "resident", "tier", ""]}
          rows={objects(runtime, "variants").map((each) => [<code>{text(each, "name")}</code>, <code>{text(each, "handler")}</code>, <code>{text(each, "address")}</code>, bytes(number(each, "code_bytes")), bytes(number(each, "resident_bytes")),
            field(each, "quick") === true ? "quick" : "full", field(each, "active") === true ? <b class="chip good">active</b> : ""])} />
      </>}
      {entries(runtime, "guard_failures").length > 0 && <>
        <h3>Guard failures</h3>
        <Rows titles={["label", "failures"]} rows={entries(runtime, "guard_failures").map(([label, value]) => [<code>{label}</code>, count(Number(value))])} />
      </>}
    </section>);
}

function Rows({ titles, rows }: { titles: string[]; rows: (preact.ComponentChildren)[][] }) {
  return (
    <div class="scrolls"><table class="reference">
      <thead><tr>{titles.map((title, i) => <th key={i} scope="col">{title}</th>)}</tr></thead>
      <tbody>{rows.map((row, i) => <tr key={i}>{row.map((cell, j) => <td key={j}>{cell}</td>)}</tr>)}</tbody>
    </table></div>);
}
