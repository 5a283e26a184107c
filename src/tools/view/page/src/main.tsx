// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { render } from "preact";
import { App } from "./app";
import { about as readAbout, codeInPage, codeOfServer, Feed, readReport } from "./feed";
import { Model } from "./model";

const about = readAbout();
const code = about.code ? codeOfServer() : codeInPage();
const root = document.getElementById("app")!;
let version = 0;
let feed: Feed | null = null;

function draw(model: Model): void {
  render(<App model={model} version={++version} about={about} code={code} feed={feed} />, root);
}

const model = new Model();
document.title = `Sartor: ${about.source.split("/").pop()}`;
root.replaceChildren();
if (about.mode === "view") feed = new Feed(() => new Model(), model, draw);
else readReport(model);
draw(model);
performance.mark("sartor-drawn");
