// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why something was not done: remarks and failures, with the reference's text.
import { useEffect, useMemo, useState } from "preact/hooks";
import { text } from "./events";
import { clock, count } from "./format";
import type { Model } from "./model";
import { RemarkCode } from "./parts";
import type { Failed, Remark } from "./records";
import { failures, helpOn, remarks } from "./reference";
import { Table, type Column } from "./table";

/** Remarks of one text. */
interface Group {
  remark: Remark;
  times: number;
  variants: Set<string>;
}

interface Props {
  model: Model;
  version: number;
  wanted: string; // the remark's code to scroll to
  go: (code: string) => void;
  open: (text: string) => void;
}

export function Why({ model, version, wanted, go, open }: Props) {
  const [chosen, setChosen] = useState<Failed | null>(null);
  const groups = useMemo(() => grouped(model.remarks), [model, version]);
  useEffect(() => {
    const row = wanted && document.getElementById(`remark-${wanted}`);
    if (row) {
      row.scrollIntoView({ block: "center" });
      row.focus({ preventScroll: true });
    }
  }, [wanted]);
  const groupColumns = useMemo((): Column<Group>[] => [
    { title: "code", width: "170px", sort: ({ remark }) => remark.code, cell: ({ remark }) => <RemarkCode code={remark.code} go={go} /> },
    { title: "times", width: "85px", right: true, sort: (row) => row.times, cell: (row) => count(row.times) },
    { title: "variants", width: "98px", right: true, sort: (row) => row.variants.size, cell: (row) => count(row.variants.size) },
    { title: "handler", width: "minmax(120px, 1fr)", sort: ({ remark }) => model.name(remark.handler), cell: ({ remark }) => <code>{model.name(remark.handler)}</code> },
    { title: "message", width: "minmax(300px, 4fr)", cell: ({ remark }) => <span title={remark.message}>{remark.subject && <code>{remark.subject} </code>}{remark.message}</span> },
    { title: "fix", width: "minmax(220px, 2fr)", cell: ({ remark }) => <span title={helpOn.get(remark.code)?.fix}>{helpOn.get(remark.code)?.fix ?? "–"}</span> },
  ], [model, go]);
  const failureColumns = useMemo((): Column<Failed>[] => [
    { title: "time", width: "90px", right: true, sort: (row) => row.item.t, cell: (row) => `${clock(row.item.t)} s` },
    { title: "event", width: "130px", sort: (row) => row.item.kind, cell: (row) => row.item.kind },
    { title: "code", width: "170px", sort: (row) => row.failure.code, cell: ({ failure }) => <span class="code" title={meaning(failure.code)}>{failure.code || "–"}</span> },
    { title: "subject", width: "minmax(110px, 1fr)", sort: (row) => row.failure.subject, cell: (row) => <code title={row.failure.subject}>{row.failure.subject || text(row.item.fields, "text")}</code> },
    { title: "message", width: "minmax(240px, 3fr)", cell: (row) => <span title={row.failure.message}>{row.failure.message}</span> },
    { title: "remedy", width: "minmax(180px, 2fr)", cell: ({ failure }) => <span title={failure.remedy}>{failure.remedy || failures.get(failure.code)?.fix || "–"}</span> },
  ], []);
  const seen = new Set(model.remarks.map((each) => each.code));
  return (
    <>
      <section>
        <h2>Remarks</h2>
        <p class="muted">Requests that changed nothing, or less than requested.</p>
        <Table label="Remarks" rows={groups} columns={groupColumns} id={(row) => `${row.remark.code} ${row.remark.handler} ${row.remark.message} ${row.remark.subject}`} begin={{ column: 1, down: true }} open={(row) => open(row.remark.text)} empty="No remarks in the log." />
      </section>
      <section>
        <h2>Failures</h2>
        <Table label="Failures" rows={model.failures} columns={failureColumns} id={(row) => row.item.n} begin={{ column: 0, down: false }} open={setChosen} empty="No failures in the log." />
        {chosen && <Shown failed={chosen} />}
      </section>
      <section>
        <h2>Meaning of the remarks</h2>
        <div class="scrolls"><table class="reference">
          <thead><tr><th scope="col">code</th><th scope="col">meaning</th><th scope="col">fix</th></tr></thead>
          <tbody>{remarks.map(([code, meaning, fix, reasons]) => (
            <tr key={code} id={`remark-${code}`} tabIndex={-1} class={`${seen.has(code) ? "seen" : ""}${code === wanted ? " chosen" : ""}`}>
              <td class="code">{code}</td><td>{meaning}</td>
              <td>{fix}{reasons.length > 0 && <ul class="reasons">{reasons.map(([reason, todo]) => <li key={reason}><i>{reason}</i>: {todo}</li>)}</ul>}</td>
            </tr>))}</tbody>
        </table></div>
      </section>
    </>);
}

/** A failure in full. */
function Shown({ failed: { item, failure } }: { failed: Failed }) {
  const known = failures.get(failure.code);
  return (
    <dl class="facts" aria-label={`Failure in line ${item.n}`}>
      <dt>code</dt><dd><span class="code">{failure.code || "–"}</span>{known && `: ${known.means}`}</dd>
      <dt>subject</dt><dd><code>{failure.subject || text(item.fields, "text") || "–"}</code></dd>
      <dt>message</dt><dd>{failure.message || "–"}</dd>
      <dt>remedy</dt><dd>{failure.remedy || known?.fix || "–"}</dd>
    </dl>);
}

const meaning = (code: string) => failures.get(code)?.means ?? "";

function grouped(all: readonly Remark[]): Group[] {
  const found = new Map<string, Group>();
  for (const remark of all) {
    const key = JSON.stringify([remark.code, remark.handler, remark.message, remark.subject]);
    let group = found.get(key);
    if (!group) found.set(key, (group = { remark, times: 0, variants: new Set() }));
    ++group.times;
    group.variants.add(remark.text);
  }
  return [...found.values()];
}
