// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the events come from: the page itself in a report, `sartor view` on a live page.
import { entries, field, list, number, text } from "./events";
import type { Model } from "./model";

/** What `sartor` says of the page. */
export interface About {
  mode: "report" | "view" | "server";
  source: string; // the log, or the program
  version: string;
  made: string;
  process: number; // NaN for a log
  code: boolean; // `sartor view` makes code
}

/** Gets the code of the variants of one text; null where there is none. */
export type CodeOf = ((text: string) => Promise<unknown>) | null;

export interface Live {
  state: "live" | "paused" | "lost" | "report";
  message: string;
  lost: number; // events that the program no longer had
  status: unknown; // the program's answer
}

const PAUSE = 500; // milliseconds between questions

/** The JSON in a part of the page, which is then dropped. */
function part(element: Element): unknown {
  const value: unknown = JSON.parse(element.textContent || "null");
  element.remove();
  return value;
}

export function about(): About {
  const element = document.getElementById("about");
  const given = element ? part(element) : null;
  return { mode: (["view", "server"] as const).find((each) => each === text(given, "mode")) ?? "report", source: text(given, "source"), version: text(given, "version"),
    made: text(given, "made"), process: number(given, "process"),
    code: field(given, "code") === true };
}

/** The code in a report. */
export function codeInPage(): CodeOf {
  const element = document.getElementById("code");
  if (!element) return null;
  const all = part(element);
  return () => Promise.resolve(all);
}

/** The code that `sartor view` makes, each once. */
export function codeOfServer(): CodeOf {
  const known = new Map<string, Promise<unknown>>();
  return (wanted) => {
    let found = known.get(wanted);
    if (!found) {
      found = fetch(`code?text=${encodeURIComponent(wanted)}`, { cache: "no-store", credentials: "omit" }).then((response) => response.json());
      found.catch(() => known.delete(wanted)); // asked again
      known.set(wanted, found);
    }
    return found;
  };
}

function take(model: Model, answer: unknown): void {
  for (const [name, readable] of entries(answer, "names")) if (typeof readable === "string") model.names.set(name, readable);
  model.add(list(answer, "events"));
}

export function readReport(model: Model): void {
  for (const element of document.querySelectorAll("script.events")) take(model, part(element));
}

/** Asks `sartor view` until the page is closed. */
export class Feed {
  live: Live = { state: "live", message: "", lost: 0, status: null };
  private after = 0;
  private timer = 0;
  private asking = false;

  constructor(private readonly makeModel: () => Model, private model: Model, private readonly changed: (model: Model) => void) {
    void this.ask();
  }

  toggle(): void {
    clearTimeout(this.timer);
    const pauses = this.live.state !== "paused";
    this.live = { ...this.live, state: pauses ? "paused" : "live" };
    if (!pauses && !this.asking) void this.ask();
    this.changed(this.model);
  }

  private async ask(): Promise<void> {
    let more = false;
    this.asking = true;
    try {
      const response = await fetch(`events?after=${this.after}`, { cache: "no-store", credentials: "omit" });
      const answer: unknown = await response.json();
      if (this.live.state === "paused") return; // asked again later
      if (field(answer, "error") !== undefined) {
        const error = field(answer, "error");
        throw new Error(`${text(error, "code")}: ${text(error, "message")}`);
      }
      if (field(answer, "restarted") === true) this.model = this.makeModel();
      take(this.model, answer);
      this.after = number(answer, "next") || 0;
      more = field(answer, "more") === true;
      this.live = { ...this.live, lost: this.live.lost + (number(answer, "lost") || 0) };
      if (field(answer, "status") !== undefined) this.live.status = field(answer, "status");
      if (this.live.state === "lost") this.live = { ...this.live, state: "live", message: "" };
    } catch (error) {
      const message = error instanceof TypeError ? "`sartor view` has ended" : error instanceof Error ? error.message : String(error);
      if (this.live.state !== "paused") this.live = { ...this.live, state: "lost", message };
    } finally {
      this.asking = false;
    }
    this.changed(this.model);
    if (this.live.state !== "paused") this.timer = window.setTimeout(() => void this.ask(), more ? 0 : PAUSE);
  }
}
