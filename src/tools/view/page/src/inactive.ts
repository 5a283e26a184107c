// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why a variant is not active, from the events.
import { failure, text } from "./events";
import { clock, percent } from "./format";
import type { Model } from "./model";
import type { Variant } from "./records";

export interface Answer {
  why: string; // one sentence
  fix: string;
  line: number; // of the event; 0: of none
}

/** Returns null for a variant that is active. */
export function whyInactive(model: Model, variant: Variant): Answer | null {
  if ([...model.active.values()].includes(variant.text)) return null;
  const handlers = new Set([...variant.handlers].flatMap((name) => [name, model.name(name)]));
  const isOwn = (name: string) => name === "" || name === "*" || handlers.has(name);
  const labels = new Set(variant.settings.map(([label]) => label)); // off and on take them, too
  let off = 0, pinned = 0, different: Answer | null = null, revoked: Answer | null = null, failed: Answer | null = null, left: Answer | null = null;
  let wasActive = false;
  for (const { n, t, kind, fields } of model.items) {
    if (n === model.runBegins) {
      off = pinned = 0;
      revoked = left = null;
      wasActive = false;
    }
    const handler = text(fields, "handler"), isOf = text(fields, "text") === variant.text && (handler === "" || isOwn(handler));
    if (kind === "operator") {
      const did = text(fields, "did");
      if ((did === "off" || did === "on") && (isOwn(text(fields, "name")) || labels.has(text(fields, "name")))) off = did === "off" ? n : 0;
      if (did === "pin" || did === "unpin") pinned = did === "pin" ? n : 0;
    } else if (kind === "difference" && isOf) different = { why: `It gave another result than the native code at ${clock(t)} s.`, fix: "Do not use it; report the request that the quarantine has.", line: n };
    else if (kind === "failure" && isOf) {
      const { message, remedy } = failure(fields);
      failed = { why: `It could not be made: ${message}.`, fix: remedy || "See the failure.", line: n };
    } else if (kind === "switch" && isOwn(handler)) {
      if (isOf) {
        wasActive = true;
        revoked = left = null;
      } else if (wasActive) {
        wasActive = false;
        left = { why: `${text(fields, "text") || "Native code"} became active instead at ${clock(t)} s.`, fix: "None is needed if the workload has changed; otherwise explore again.", line: n };
      }
    } else if (kind === "replug" && wasActive && isOwn(handler)) {
      wasActive = false;
      revoked = { why: `An invariant that it depends on was revoked at ${clock(t)} s.`, fix: "Write to this memory less often, or leave it out of the invariant; see the tab Guards.", line: n };
    }
  }
  if (off > 0) return { why: "An operator has switched its handler off.", fix: "sartor on PID", line: off };
  if (pinned > 0) return { why: "An operator has pinned a configuration.", fix: "sartor unpin PID", line: pinned };
  return different ?? failed ?? revoked ?? lost(model, variant) ?? left ?? never(variant);
}

/** The comparison that it has lost. */
function lost(model: Model, variant: Variant): Answer | null {
  const decided = model.decisions.at(-1);
  if (variant.trials.length === 0 || !decided || decided.text === variant.text) return null;
  const gain = variant.gain ? `; its gain was ${percent(variant.gain.mean)} (${percent(variant.gain.low)} to ${percent(variant.gain.high)})` : "";
  return { why: `The exploration that ended at ${clock(decided.t)} s has chosen ${decided.text}${gain}.`, fix: "None is needed; after a change of the workload, explore again: sartor explore PID.", line: 0 };
}

function never(variant: Variant): Answer {
  if (variant.trials.length > 0) return { why: "The exploration that measures it has not ended.", fix: "Wait for its decision.", line: 0 };
  if (variant.compilations.length === 0) return { why: "It was not compiled.", fix: "Request it with Runtime::specialize(), or explore it.", line: 0 };
  return { why: "It was compiled, but nothing has activated it.", fix: "Activate it, or start an explorer.", line: 0 };
}
