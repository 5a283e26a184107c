// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// All about one variant.
import { useLayoutEffect, useRef } from "preact/hooks";
import { Code } from "./code";
import { field, list, number, text } from "./events";
import { bytes, clock, count, milliseconds, withUnit } from "./format";
import type { CodeOf } from "./feed";
import { whyInactive } from "./inactive";
import type { Model } from "./model";
import { Interval, RemarkCode } from "./parts";
import type { Compilation, Variant } from "./records";
import { helpOn } from "./reference";

interface Props {
  model: Model;
  variant: Variant;
  code: CodeOf;
  close: () => void;
  go: (code: string) => void;
}

export function Detail({ model, variant, code, close, go }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => {
    dialog.current?.showModal();
  }, []);
  const unit = model.unit;
  const scores = variant.trials.map((each) => model.value(each.score));
  const inactive = whyInactive(model, variant);
  return (
    <dialog class="detail" ref={dialog} onClose={close} aria-labelledby="detail-title" onClick={(event) => event.target === dialog.current && close()}>
      <div class="inside">
        <header>
          <h2 id="detail-title"><code>{variant.text}</code>{!inactive && <b class="chip good">active</b>}</h2>
          <button type="button" onClick={close} aria-label="Close">✕</button>
        </header>
        <dl class="facts">
          <dt>handlers</dt><dd>{[...variant.handlers].map((name) => model.name(name)).join(", ") || "–"}</dd>
          {variant.settings.map(([label, value]) => [<dt key={label}><code>{label}</code></dt>, <dd key={`${label}=`}>{value}{value.endsWith("!") ? " (not guarded)" : ""}</dd>])}
          <dt>{model.lessIsBetter ? "mean cost" : "mean score"}</dt>
          <dd>{withUnit(model.value(variant.score), unit)}{scores.length > 1 && `, from ${withUnit(least(scores), unit)} to ${withUnit(-least(scores.map((each) => -each)), unit)} in ${count(scores.length)} trials`}</dd>
          {variant.gain && <><dt>gain</dt><dd><Interval gain={variant.gain} range={null} />{variant.against && <> against <code>{variant.against}</code></>}</dd></>}
          {inactive && <><dt>not active</dt><dd class="inactive">{inactive.why}{inactive.line > 0 && <span class="muted"> (line {count(inactive.line)} of the events)</span>} <b>Fix:</b> {inactive.fix}</dd></>}
          {variant.verdict && <><dt>verdict</dt><dd>{variant.verdict}</dd></>}
        </dl>
        {variant.remarks.length > 0 && <>
          <h3>Remarks</h3>
          <ul class="plain">{variant.remarks.map((each, i) => <li key={i}><RemarkCode code={each.code} go={go} /> {each.subject && <code>{each.subject}</code>} {each.message}{helpOn.has(each.code) && <div class="muted">{helpOn.get(each.code)!.meaning} <b>Fix:</b> {helpOn.get(each.code)!.fix}</div>}</li>)}</ul>
        </>}
        <h3>Compilations</h3>
        {variant.compilations.length === 0 && <p class="muted">None in the log.</p>}
        {variant.compilations.slice(-20).map((each, i) => <Made key={i} made={each} model={model} />)}
        {variant.compilations.length > 20 && <p class="muted">The last 20 of {count(variant.compilations.length)}.</p>}
        <h3>Code</h3>
        <Code code={code} variant={variant} />
      </div>
    </dialog>);
}

function least(values: number[]): number {
  return values.reduce((a, b) => Math.min(a, b), Infinity);
}

function Made({ made, model }: { made: Compilation; model: Model }) {
  const report = field(made.item.fields, "fold_report");
  return (
    <div class="made">
      <p>
        {clock(made.t)} s: <code>{model.name(made.handler)}</code> {made.kind === "compile" ? "compiled" : "loaded"}{made.from && ` (${made.from})`}{made.quick && ", quick tier"} in {milliseconds(made.milliseconds)}: {bytes(made.code)} of code, {bytes(made.resident)} resident
      </p>
      {report !== undefined && <FoldReport report={report} />}
    </div>);
}

function FoldReport({ report }: { report: unknown }) {
  const jumps = number(report, "indirect_jumps"), calls = number(report, "indirect_calls");
  const followed: Record<string, string> = { whole: "completely", in_part: "in part", no: "not" };
  return (
    <ul class="plain fold">
      {list(report, "invariants").map((each, i) => (
        <li key={i}>
          {text(each, "quasi_invariant") ? <>quasi-invariant <code>{text(each, "quasi_invariant")}</code></> : `invariant ${number(each, "invariant")}`}: {count(number(each, "loads") || 0)} loads folded{field(each, "depended_on") === false && ", the code does not depend on it"}
        </li>))}
      {list(report, "loops").map((each, i) => (
        <li key={`loop ${i}`}>loop in <code>{text(each, "function")}</code>{number(each, "line") > 0 && `, line ${number(each, "line")}`}: {count(number(each, "copies") || 0)} copies{text(each, "why_not") && `; ${text(each, "why_not")}`}</li>))}
      <li>control flow over invariant memory followed {followed[text(report, "followed")] ?? text(report, "followed")}{jumps > 0 && `; ${count(jumps)} indirect jumps left`}{calls > 0 && `; ${count(calls)} indirect calls left`}</li>
    </ul>);
}
