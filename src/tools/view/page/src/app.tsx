// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { useEffect, useRef, useState } from "preact/hooks";
import { Compilations } from "./compilations";
import { Detail } from "./detail";
import { EventList } from "./eventlist";
import type { About, CodeOf, Feed } from "./feed";
import { count, plural } from "./format";
import { Guards } from "./guards";
import { Help } from "./help";
import type { Model } from "./model";
import { Overview } from "./overview";
import { Space } from "./space";
import { State } from "./state";
import { currentTheme, nextTheme, useTheme } from "./theme";
import { Variants } from "./variants";
import { Why } from "./why";

interface Props {
  model: Model;
  version: number; // grows with the model
  about: About;
  code: CodeOf;
  feed: Feed | null;
}

export function App({ model, version, about, code, feed }: Props) {
  const tabs = ["Overview", "Variants", "Space", "Guards", "Compilations", "Why not", "Events", ...(Number.isNaN(about.process) ? [] : ["State"])];
  const [tab, setTab] = useState(() => tabs.find((each) => slug(each) === location.hash.slice(1)) ?? "Overview");
  const [detail, setDetail] = useState<string | null>(null);
  const [remark, setRemark] = useState("");
  const [helps, setHelps] = useState(false);
  const theme = useTheme();
  const list = useRef<HTMLDivElement>(null);

  const show = (name: string) => {
    setTab(name);
    history.replaceState(null, "", `#${slug(name)}`);
  };
  const go = (wanted: string) => {
    setDetail(null);
    setRemark("");
    show("Why not");
    setTimeout(() => setRemark(wanted), 0);
  };
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement;
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
      if (/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName)) {
        if (event.key === "Escape") target.blur();
        return;
      }
      const number = Number(event.key);
      if (number >= 1 && number <= tabs.length) show(tabs[number - 1]!);
      else if (event.key === "?") setHelps(true);
      else if (event.key === "t") nextTheme();
      else if (event.key === "p" && feed) feed.toggle();
      else if (event.key === "/") {
        show("Events");
        setTimeout(() => document.getElementById("find-events")?.focus(), 0);
      } else return;
      event.preventDefault();
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [feed, tabs.length]);

  const moved = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const at = (tabs.indexOf(tab) + step + tabs.length) % tabs.length;
    show(tabs[at]!);
    list.current?.querySelectorAll<HTMLElement>("[role=tab]")[at]?.focus();
    event.preventDefault();
  };
  const variant = detail === null ? undefined : model.variants.get(detail);
  const live = feed?.live;
  return (
    <>
      <header class="top">
        <h1>Sartor</h1>
        <span class="source" title={about.source}>{about.source}</span>
        <span class="muted">{about.mode === "report" ? `report of ${about.made}` : ""}</span>
        <span class="muted">{plural(model.items.length, "line")}</span>
        {model.runs > 1 && <span class="chip" title="Each begins where the one before has ended">{plural(model.runs, "run")}</span>}
        {model.damaged > 0 && <b class="chip bad" role="status">{plural(model.damaged, "damaged line")}</b>}
        {live && live.lost > 0 && <b class="chip bad" title="The program keeps the last events only">{plural(live.lost, "event")} not seen</b>}
        <span class="space-between" />
        {live && <button type="button" class={`live ${live.state}`} aria-pressed={live.state === "paused"} title={live.message || "p"} onClick={() => feed.toggle()}>{live.state === "lost" ? `no connection: ${live.message}` : live.state}</button>}
        <button type="button" onClick={nextTheme} title="t">{currentTheme()}</button>
        <button type="button" onClick={() => setHelps(true)} aria-label="Keyboard shortcuts" title="?">?</button>
      </header>
      <div class="tabs" role="tablist" aria-label="Parts of the page" ref={list} onKeyDown={moved}>
        {tabs.map((name, i) => (
          <button type="button" key={name} role="tab" id={`tab-${slug(name)}`} aria-selected={tab === name} aria-controls="panel" tabIndex={tab === name ? 0 : -1} title={`${i + 1}`} onClick={() => show(name)}>
            {name}{badge(name, model)}
          </button>))}
      </div>
      <main id="panel" role="tabpanel" aria-labelledby={`tab-${slug(tab)}`} class={slug(tab)}>
        {tab === "Overview" && <Overview model={model} version={version} theme={theme} />}
        {tab === "Variants" && <Variants model={model} version={version} open={setDetail} />}
        {tab === "Space" && <Space model={model} version={version} theme={theme} open={setDetail} />}
        {tab === "Guards" && <Guards model={model} version={version} theme={theme} />}
        {tab === "Compilations" && <Compilations model={model} version={version} theme={theme} open={setDetail} />}
        {tab === "Why not" && <Why model={model} version={version} wanted={remark} go={go} open={setDetail} />}
        {tab === "Events" && <EventList model={model} version={version} live={live?.state === "live"} />}
        {tab === "State" && <State status={live?.status} />}
      </main>
      {variant && <Detail key={variant.text} model={model} variant={variant} code={code} close={() => setDetail((shown) => (shown === variant.text ? null : shown))} go={go} />}
      {helps && <Help close={() => setHelps(false)} live={feed !== null} about={about} />}
    </>);
}

const slug = (name: string) => name.toLowerCase().replaceAll(" ", "-");

function badge(name: string, model: Model) {
  const number = name === "Variants" ? model.variants.size : name === "Why not" ? model.remarks.length + model.failures.length : name === "Events" ? model.items.length : 0;
  return number > 0 ? <span class="badge">{count(number)}</span> : null;
}
