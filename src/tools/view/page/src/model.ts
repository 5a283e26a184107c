// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the events say. Grows by add(), so that a live page does not read the log again.
import { entries, failure, field, list, number, text, type Fields, type Item } from "./events";
import { setting } from "./format";
import type { Compilation, Decision, Exploration, Failed, Gain, Guard, QuasiInvariant, Remark, Trial, Variant } from "./records";

const FAILURES = new Set(["explore_failed", "best_known_failed", "journal_failed", "thread_failed", "thread_lost", "no_thread",
  "fold_call_failed", "compiler_lost", "fleet_lost", "shared_cache_lost", "descriptor_lost", "stalled", "not_held"]);
const INVALIDATIONS = new Set(["replug", "held", "not_held", "invariant_not_waited_for", "invariant_changed_unseen",
  "quasi_invariant_invalidated_late", "quasi_invariant_changed_unseen", "quasi_invariant_not_answered", "quasi_invariant_unguarded",
  "quasi_invariant_not_armed", "quasi_invariant_not_protected", "quasi_invariant_unreadable"]);

/** Lines of threads may be in another order; a new run begins at 0. */
const RESTARTED = 1; // seconds

function inverse({ mean, low, high }: Gain): Gain {
  return { mean: 1 / mean, low: 1 / high, high: 1 / low };
}

export class Model {
  items: Item[] = [];
  kinds = new Map<string, number>();
  damaged = 0;
  end = 0;
  runs = 1; // a program may append to the log of an earlier run
  runBegins = 1; // the line with which the last run begins
  explorations: Exploration[] = [];
  windows: { t: number; value: number; text: string }[] = [];
  trials: Trial[] = [];
  decisions: Decision[] = [];
  switches: number[] = [];
  changes: { t: number; because: string }[] = [];
  variants = new Map<string, Variant>();
  active = new Map<string, string>(); // by handler
  compilations: Compilation[] = [];
  remarks: Remark[] = [];
  failures: Failed[] = [];
  guards = new Map<string, Guard>();
  invalidations: Item[] = [];
  quasiInvariants = new Map<string, QuasiInvariant>();
  private last = 0;
  private shift = 0; // the length of earlier runs
  names = new Map<string, string>(); // readable ones of handlers
  private negated = false; // scores are negative values
  private rates = new Map<string, string>(); // the rate that is shown for an explored cost
  labels = new Set<string>();

  name(handler: string): string {
    return this.names.get(handler) ?? handler;
  }

  add(lines: readonly unknown[]): void {
    for (const line of lines) {
      const kind = text(line, "event");
      const item: Item = { n: this.items.length + 1, t: number(line, "t"), kind, fields: (line ?? {}) as Fields };
      this.items.push(item);
      if (!kind) {
        ++this.damaged;
        continue;
      }
      if (item.t + RESTARTED < this.last) this.beginRun(item);
      this.last = item.t;
      item.t += this.shift;
      this.kinds.set(kind, (this.kinds.get(kind) ?? 0) + 1);
      if (item.t > this.end) this.end = item.t;
      this.take(item);
    }
  }

  /** Nothing of an earlier run is active, or still explores. */
  private beginRun(item: Item): void {
    ++this.runs;
    this.runBegins = item.n;
    this.shift = this.end;
    this.active.clear();
    for (const each of this.explorations)
      if (Number.isNaN(each.end)) {
        each.end = this.end;
        each.verdict = "not finished";
      }
  }

  private variant(of: Fields): Variant {
    const name = text(of, "text");
    let found = this.variants.get(name);
    if (!found) {
      found = { text: name, settings: [], handlers: new Set(), trials: [], score: NaN, gain: null, against: "", verdict: "",
        compilations: [], milliseconds: 0, code: 0, remarks: [], failures: 0 };
      this.variants.set(name, found);
    }
    if (found.settings.length === 0) {
      found.settings = entries(of, "configuration").map(([label, value]) => [label, setting(value)]);
      for (const [label] of found.settings) this.labels.add(label);
    }
    const handler = text(of, "handler");
    if (handler) found.handlers.add(handler);
    return found;
  }

  private take(item: Item): void {
    const of = item.fields;
    // The variant is out of service; no switch says so.
    if (item.kind === "difference" && this.active.get(text(of, "handler")) === text(of, "text")) this.active.delete(text(of, "handler"));
    switch (item.kind) {
      case "crowded":
      case "not_saturated":
        this.rates.set(text(of, "compared"), text(of, "objective"));
        return;
      case "explore_start":
        return this.begin(item);
      case "window":
        return this.window(item);
      case "trial":
        return this.trial(item);
      case "confirm":
      case "decide":
        return this.decide(item);
      case "switch": {
        this.switches.push(item.t);
        this.variant(of);
        if (text(of, "handler")) this.active.set(text(of, "handler"), text(of, "text"));
        return;
      }
      case "change":
        this.changes.push({ t: item.t, because: text(of, "because") });
        return;
      case "compile":
      case "load":
        return this.compile(item);
      case "guards":
        return this.guard(item);
      case "economy":
      case "quasi_invariant_valid":
      case "quasi_invariant_dropped":
        return this.quasiInvariant(item);
    }
    if (item.kind === "replug") this.fallBack(of);
    if (INVALIDATIONS.has(item.kind)) this.invalidations.push(item);
    if (item.kind === "explore_failed") this.close(item, "failed");
    if (text(of, "code") || FAILURES.has(item.kind)) {
      this.failures.push({ item, failure: failure(of) });
      const variant = this.variants.get(text(of, "text"));
      if (variant) ++variant.failures;
    }
  }

  /** After an invariant was revoked; `to` is HANDLER{CONFIGURATION}, or generic. */
  private fallBack(of: Fields): void {
    const handler = text(of, "handler"), to = text(of, "to"), at = to.lastIndexOf("{");
    if (at < 0) this.active.delete(handler);
    else this.active.set(handler, to.slice(at));
  }

  private begin(item: Item): void {
    const { t, fields } = item;
    const process = number(fields, "pid") || 0;
    const objective = text(fields, "objective");
    // A runtime has one explorer: another start for the same objective ends the previous one.
    for (const each of this.explorations)
      if (Number.isNaN(each.end) && each.objective === objective && each.process === process) {
        each.end = t;
        each.verdict = "not finished";
      }
    this.explorations.push({ begin: t, end: NaN, objective, unit: text(fields, "unit"), candidates: number(fields, "candidates"),
      rate: this.rates.get(objective) ?? "", trials: 0, chosen: "", verdict: "", gain: null, process });
  }

  private running(item: Item): Exploration | undefined {
    const process = number(item.fields, "pid") || 0;
    for (let i = this.explorations.length - 1; i >= 0; --i) {
      const each = this.explorations[i]!;
      if (Number.isNaN(each.end) && each.process === process) return each;
    }
    return undefined;
  }

  private close(item: Item, verdict: string): Exploration | undefined {
    const open = this.running(item);
    if (open) {
      open.end = item.t;
      open.verdict = verdict;
    }
    return open;
  }

  private window({ t, fields }: Item): void {
    const value = number(fields, "value");
    if (number(fields, "score") < 0 && value > 0) this.negated = true;
    this.windows.push({ t, value, text: text(fields, "text") });
  }

  private trial(item: Item): void {
    const { t, fields } = item;
    const variant = this.variant(fields);
    const open = this.running(item);
    if (open) ++open.trials;
    if (field(fields, "failed") === true) {
      ++variant.failures;
      this.failures.push({ item, failure: failure(fields) });
      return;
    }
    // Costs are shown as rates per processor second: other explorations of the log are of rates.
    const score = open?.rate ? -1 / number(fields, "score") : number(fields, "score");
    if (score < 0) this.negated = true;
    const trial = { t, seconds: number(fields, "seconds") || 0, score, text: variant.text, cutShort: field(fields, "cut_short") === true };
    this.trials.push(trial);
    variant.trials.push(trial);
    const count = variant.trials.length;
    if (Number.isFinite(score)) variant.score = count === 1 || Number.isNaN(variant.score) ? score : variant.score + (score - variant.score) / count;
  }

  private decide(item: Item): void {
    const { t, fields } = item;
    const variant = this.variant(fields);
    const decides = item.kind === "decide";
    const gain = { mean: number(fields, "gain"), low: number(fields, decides ? "gain_low" : "low"), high: number(fields, decides ? "gain_high" : "high") };
    variant.verdict = text(fields, "verdict");
    if (Number.isFinite(gain.mean) && Number.isFinite(gain.low)) variant.gain = gain;
    if (!decides) {
      variant.against = text(fields, "against");
      return;
    }
    const ended = this.close(item, variant.verdict);
    const estimate = { mean: number(fields, "mean"), low: number(fields, "low"), high: number(fields, "high") };
    this.decisions.push({ t, text: variant.text, verdict: variant.verdict, ...(ended?.rate ? inverse(estimate) : estimate) });
    if (ended) {
      ended.chosen = variant.text;
      ended.gain = variant.gain;
    }
  }

  private compile(item: Item): void {
    const { t, fields } = item;
    const variant = this.variant(fields);
    const made: Compilation = { t, kind: item.kind, handler: text(fields, "handler"), text: variant.text, from: text(fields, "from"),
      milliseconds: number(fields, "milliseconds"), code: number(fields, "code_bytes"), resident: number(fields, "resident_bytes"),
      quick: field(fields, "quick") === true, item };
    this.compilations.push(made);
    variant.compilations.push(made);
    variant.milliseconds += made.milliseconds || 0;
    variant.code = made.code;
    for (const each of list(fields, "remarks")) {
      const remark = { code: text(each, "code"), message: text(each, "message"), subject: text(each, "subject") || text(each, "label"),
        handler: made.handler, text: variant.text };
      this.remarks.push(remark);
      variant.remarks.push(remark);
    }
  }

  private guard({ t, fields }: Item): void {
    for (const [label, value] of entries(fields, "failures")) {
      const fresh = Number(value) || 0;
      let guard = this.guards.get(label);
      if (!guard) this.guards.set(label, (guard = { label, failures: 0, first: t, last: t, times: [], counts: [] }));
      guard.failures += fresh;
      guard.last = t;
      guard.times.push(t);
      guard.counts.push(guard.failures);
    }
  }

  private quasiInvariant({ kind, fields }: Item): void {
    const name = text(fields, "quasi_invariant");
    let found = this.quasiInvariants.get(name);
    if (!found) this.quasiInvariants.set(name, (found = { name, last: {}, economy: null, dropped: false }));
    if (kind === "economy") found.economy = fields;
    else found.last = fields;
    found.dropped = kind === "quasi_invariant_dropped";
  }

  /** How scores are made of values. The log does not say so; it has both for decisions, but for those in ticks. */
  get scale(): "value" | "negated" | "reciprocal" | "other" {
    if (this.negated) return "negated";
    if (this.lastUnit === "ticks") return "reciprocal";
    const decided = this.decisions[this.decisions.length - 1];
    const score = decided && this.variants.get(decided.text)?.score;
    if (!decided || !score || !(decided.mean > 0)) return "value";
    const isNear = (value: number) => value / decided.mean > 0.1 && value / decided.mean < 10;
    return isNear(score) ? "value" : isNear(1 / score) ? "reciprocal" : "other";
  }

  get lessIsBetter(): boolean {
    return this.scale === "negated" || this.scale === "reciprocal";
  }

  /** The value of a score. */
  value(score: number): number {
    const { scale } = this;
    return scale === "negated" ? -score : scale === "reciprocal" ? 1 / score : score;
  }

  /** The estimate of a decision as a value. */
  estimate({ mean, low, high }: Gain): Gain {
    return this.scale === "reciprocal" && this.lastUnit === "ticks" ? inverse({ mean, low, high }) : { mean, low, high };
  }

  private get lastUnit(): string {
    return this.explorations.filter((each) => each.unit && !each.rate).pop()?.unit ?? "";
  }

  /** The unit of values, or "" if scores are in none, as products are. */
  get unit(): string {
    return this.scale === "other" ? "" : this.lastUnit;
  }

  get objective(): string {
    const last = this.explorations.at(-1);
    return last?.rate || last?.objective || "score";
  }
}
