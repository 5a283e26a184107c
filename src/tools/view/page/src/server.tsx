// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page about a specialization server.
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type uPlot from "uplot";
import { axes, Chart } from "./chart";
import { field, text } from "./events";
import type { About } from "./feed";
import { bytes, count, seconds, si } from "./format";
import { parse, Reading } from "./prometheus";
import { Table, type Column } from "./table";
import { currentTheme, nextTheme, useTheme } from "./theme";

const PAUSE = 1000; // milliseconds between questions
const MOST_READINGS = 600;
const PREFIX = "sartor_server_";
/** Where answers come from, as the label `from` says. */
const FROM = ["memory", "disk", "shared", "made", "failed"];
/** Why requests are refused, and what to do. */
const REFUSED: Record<string, string> = {
  no_handshake: "No encrypted connection came about: see whether the client is a program of Sartor, and has the server's key.",
  unknown_key: "Add the client's public key to the server's file of clients.",
  wrong_role: "The key belongs to a client of another kind: use its own key.",
  no_greeting: "The client ended early, or was too slow.",
  bad_message: "Use the same build of Sartor on both sides.",
  request_refused: "The client asks for code of another module or symbol than it has offered.",
  not_permitted: "Give the client this right in the server's file of clients.",
  too_many: "The server or this client is at its limit of connections: raise it, or connect less often.",
  too_many_unknown: "Too many connections without a known key are open at once: keep strangers from the port.",
};

interface Client {
  name: string;
  requests: number;
  reused: number;
  failed: number;
  connections: number;
  memory: number;
  waited: number;
  compiled: number;
  refused: number;
}

const CLIENTS: Column<Client>[] = [
  { title: "client", width: "minmax(140px, 2fr)", sort: (row) => row.name, cell: (row) => <code title={row.name}>{row.name || "–"}</code> },
  { title: "requests", width: "100px", right: true, sort: (row) => row.requests, cell: (row) => count(row.requests) },
  { title: "not compiled", width: "115px", right: true, hint: "Share of requests that were answered from a cache", sort: (row) => row.reused / row.requests, cell: (row) => (row.requests > 0 ? `${((100 * row.reused) / row.requests).toFixed(1)} %` : "–") },
  { title: "failed", width: "80px", right: true, sort: (row) => row.failed, cell: (row) => count(row.failed) },
  { title: "refused", width: "80px", right: true, sort: (row) => row.refused, cell: (row) => count(row.refused) },
  { title: "mean time", width: "100px", right: true, hint: "From a request to its answer", sort: (row) => row.waited / row.requests, cell: (row) => (row.requests > 0 ? seconds(row.waited / row.requests) : "–") },
  { title: "compiling", width: "100px", right: true, hint: "Time of the compilers in total", sort: (row) => row.compiled, cell: (row) => seconds(row.compiled) },
  { title: "connections", width: "110px", right: true, sort: (row) => row.connections, cell: (row) => count(row.connections) },
  { title: "memory", width: "100px", right: true, sort: (row) => row.memory, cell: (row) => bytes(row.memory) },
];

function clientsOf(now: Reading): Client[] {
  return now.values("client", `${PREFIX}requests_total`, `${PREFIX}refused_total`, `${PREFIX}client_connections`).map((client) => {
    const requests = (from: string) => now.sum(`${PREFIX}requests_total`, { client, from });
    return { name: client, requests: now.sum(`${PREFIX}requests_total`, { client }), reused: requests("memory") + requests("disk") + requests("shared"), failed: requests("failed"),
      connections: now.sum(`${PREFIX}client_connections`, { client }), memory: now.sum(`${PREFIX}client_bytes`, { client }), waited: now.sum(`${PREFIX}client_seconds_total`, { client }),
      compiled: now.sum(`${PREFIX}compile_seconds_total`, { client }), refused: now.sum(`${PREFIX}refused_total`, { client }) };
  });
}

export function ServerApp({ about }: { about: About }) {
  const [now, setNow] = useState<Reading | null>(null);
  const [totals, setTotals] = useState<Totals[]>([]);
  const [state, setState] = useState({ ready: false, text: "", lost: "" });
  const theme = useTheme();
  const begin = useRef(performance.now());
  useEffect(() => {
    let timer = 0, isOpen = true;
    const ask = async () => {
      try {
        const answer: unknown = await (await fetch("server", { cache: "no-store", credentials: "omit" })).json();
        const error = field(answer, "error");
        if (error !== undefined) throw new Error(`${text(error, "code")}: ${text(error, "message")}`);
        const reading = new Reading((performance.now() - begin.current) / 1000, parse(text(answer, "metrics")));
        setNow(reading);
        setTotals((before) => [...before.slice(1 - MOST_READINGS), totalsOf(reading)]);
        setState({ ready: field(answer, "ready") === true, text: text(answer, "state"), lost: "" });
      } catch (error) {
        const lost = error instanceof TypeError ? "`sartor view` has ended" : error instanceof Error ? error.message : String(error);
        setState((before) => ({ ...before, lost }));
      }
      if (isOpen) timer = window.setTimeout(() => void ask(), PAUSE);
    };
    void ask();
    const pressed = (event: KeyboardEvent) => event.key === "t" && !event.ctrlKey && !event.metaKey && !event.altKey && nextTheme();
    addEventListener("keydown", pressed);
    return () => {
      isOpen = false;
      clearTimeout(timer);
      removeEventListener("keydown", pressed);
    };
  }, []);
  const clients = useMemo(() => (now ? clientsOf(now) : []), [now]);
  return (
    <>
      <header class="top">
        <h1>Sartor</h1>
        <span class="source" title={about.source}>server {about.source}</span>
        <span class="space-between" />
        <span role="status" class={`chip ${state.lost || !state.ready ? "bad" : "good"}`}>{state.lost ? `no connection: ${state.lost}` : !now ? "asking…" : state.ready ? "ready" : `not ready: ${state.text}`}</span>
        <button type="button" onClick={nextTheme} title="t">{currentTheme()}</button>
      </header>
      <main id="panel">{now && <Panel now={now} totals={totals} clients={clients} theme={theme} />}</main>
    </>);
}

function Panel({ now, totals, clients, theme }: { now: Reading; totals: Totals[]; clients: Client[]; theme: string }) {
  const of = (name: string) => now.sum(PREFIX + name);
  const sources = FROM.filter((from) => now.sum(`${PREFIX}request_seconds_count`, { from }) > 0 || now.sum(`${PREFIX}requests_total`, { from }) > 0);
  const reasons = now.values("why", `${PREFIX}refused_total`).map((why) => ({ why, times: now.sum(`${PREFIX}refused_total`, { why }) })).filter((each) => each.times > 0);
  const rates = useMemo(() => ratesOf(totals), [totals]);
  const cards: [string, string][] = [["requests", count(of("requests_total"))], ["connections", count(of("connections"))], ["compiling now", count(of("working"))], ["waiting", count(of("waiting"))],
    ["cached answers", bytes(of("cached_bytes"))], ["evicted", count(of("evicted_total"))], ["compilers started", count(of("compilers_started_total"))], ["compilers lost", count(of("compilers_lost_total"))]];
  return (
    <>
      <div class="cards">{cards.map(([title, value]) => <div class="card" key={title}><span class="muted">{title}</span><strong>{value}</strong></div>)}</div>
      <section>
        <h2>Requests per second</h2>
        <Chart label="Answers per second: from caches, compiled, failed" data={rates} height={200} theme={theme}
          options={(paint) => ({
            axes: axes(paint, "requests/s").map((axis, i) => (i === 0 ? { ...axis, label: "time since the page was opened (s)" } : axis)),
            scales: { x: { time: false }, y: { range: (_, __, high) => [0, high || 1] } },
            legend: { show: false },
            cursor: { drag: { x: true, y: false } },
            series: [{}, { label: "from caches", stroke: paint.good, width: 2 }, { label: "compiled", stroke: paint.accent, width: 2 }, { label: "failed", stroke: paint.bad, width: 2 }],
          })} />
        <div class="legend"><span><i class="key line good" />from caches</span><span><i class="key line accent" />compiled</span><span><i class="key line bad" />failed</span></div>
      </section>
      <section>
        <h2>Clients</h2>
        <Table label="Clients" rows={clients} columns={CLIENTS} id={(row) => row.name} begin={{ column: 1, down: true }} empty="No client has connected." />
      </section>
      <section>
        <h2>Time from a request to its answer</h2>
        <div class="scrolls"><table class="reference">
          <thead><tr>{["from", "requests", "mean", "half within", "99 % within"].map((title) => <th key={title} scope="col">{title}</th>)}</tr></thead>
          <tbody>{sources.map((from) => {
            const times = now.sum(`${PREFIX}request_seconds_count`, { from });
            return <tr key={from}><td>{from}</td><td>{count(times)}</td><td>{seconds(now.sum(`${PREFIX}request_seconds_sum`, { from }) / times)}</td>
              {[0.5, 0.99].map((share) => <td key={share}>{seconds(now.quantile(`${PREFIX}request_seconds`, { from }, share))}</td>)}</tr>;
          })}</tbody>
        </table></div>
        {sources.length === 0 && <p class="empty">No request yet.</p>}
      </section>
      <section>
        <h2>Refused</h2>
        {reasons.length === 0 && <p class="empty">Nothing was refused.</p>}
        {reasons.length > 0 && <div class="scrolls"><table class="reference">
          <thead><tr><th scope="col">reason</th><th scope="col">times</th><th scope="col">fix</th></tr></thead>
          <tbody>{reasons.map(({ why, times }) => <tr key={why}><td class="code">{why}</td><td>{si(times)}</td><td>{Object.hasOwn(REFUSED, why) ? REFUSED[why] : "–"}</td></tr>)}</tbody>
        </table></div>}
      </section>
    </>);
}

/** Answers at one time, by where they came from. */
interface Totals {
  t: number;
  cached: number;
  made: number;
  failed: number;
}

function totalsOf(now: Reading): Totals {
  const of = (from: string) => now.sum(`${PREFIX}requests_total`, { from });
  return { t: now.t, cached: of("memory") + of("disk") + of("shared"), made: of("made"), failed: of("failed") };
}

/** Answers per second. */
function ratesOf(totals: readonly Totals[]): uPlot.AlignedData {
  const data: [number[], number[], number[], number[]] = [[], [], [], []];
  for (let i = 1; i < totals.length; ++i) {
    const one = totals[i - 1]!, other = totals[i]!;
    const rate = (more: number) => Math.max(0, more) / (other.t - one.t); // a restarted server counts from 0
    data[0].push(other.t);
    data[1].push(rate(other.cached - one.cached));
    data[2].push(rate(other.made - one.made));
    data[3].push(rate(other.failed - one.failed));
  }
  return data;
}
