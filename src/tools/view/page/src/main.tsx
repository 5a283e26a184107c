// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { render } from "preact";
import { App } from "./app";
import { about as readAbout, codeInPage, codeOfServer, Feed, readReport } from "./feed";
import { Model } from "./model";
import { ServerApp } from "./server";

const about = readAbout();
const code = about.code ? codeOfServer() : codeInPage();
const root = document.getElementById("app")!;
let version = 0;
let feed: Feed | null = null;

function draw(model: Model): void {
  render(<App model={model} version={++version} about={about} code={code} feed={feed} />, root);
}

const model = new Model();
const isServer = about.mode === "server";
document.title = `Sartor: ${about.source.split("/").pop()}`;
root.replaceChildren();
if (isServer) render(<ServerApp about={about} />, root);
else if (about.mode === "view") feed = new Feed(() => new Model(), model, draw);
else readReport(model);
if (!isServer) draw(model);
performance.mark("sartor-drawn");
