// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a model consists of.
import type { Failure, Fields, Item } from "./events";

export interface Exploration {
  begin: number;
  end: number; // NaN while it lasts
  objective: string;
  unit: string;
  rate: string; // the objective whose cost is explored, or ""
  candidates: number;
  trials: number;
  chosen: string;
  verdict: string;
  gain: Gain | null;
  process: number;
}

export interface Gain {
  mean: number;
  low: number;
  high: number;
}

export interface Trial {
  t: number;
  seconds: number;
  score: number;
  text: string;
  cutShort: boolean;
}

export interface Decision extends Gain {
  t: number;
  text: string;
  verdict: string;
}

/** A compilation, or code that was found. */
export interface Compilation {
  t: number;
  kind: string;
  handler: string;
  text: string;
  from: string;
  milliseconds: number;
  code: number;
  resident: number;
  quick: boolean;
  item: Item;
}

/** All about one configuration. */
export interface Variant {
  text: string;
  settings: [string, string][];
  handlers: Set<string>;
  trials: Trial[];
  score: number; // the mean of its trials
  gain: Gain | null;
  against: string;
  verdict: string;
  compilations: Compilation[];
  milliseconds: number;
  code: number;
  remarks: Remark[];
  failures: number;
}

export interface Remark {
  code: string;
  message: string;
  subject: string;
  handler: string;
  text: string;
}

export interface Failed {
  item: Item;
  failure: Failure;
}

export interface Guard {
  label: string;
  failures: number;
  first: number;
  last: number;
  times: number[];
  counts: number[]; // since the beginning
}

export interface QuasiInvariant {
  name: string;
  last: Fields;
  economy: Fields | null;
  dropped: boolean;
}
