// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// server.mjs SARTOR CHROMIUM WORK PROGRAM CLANG INCLUDE SERVER CLIENT: `sartor view server`, with a compile server, and with
// a server that answers as it is told.
import { createServer } from "node:http";
import { mkdtempSync, rmSync } from "node:fs";
import { spawn, spawnSync } from "node:child_process";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { check, more, open, patience, run, same, sartor, view } from "./harness.mjs";

const [serverProgram, client] = more.slice(3);

const attack = '</script><script>window.hacked=1</script><img src=x onerror="window.hacked=1">';
const quoted = attack.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
const metrics = (made) => `# TYPE sartor_server_requests_total counter
sartor_server_requests_total{client="router",from="memory"} 60
sartor_server_requests_total{client="router",from="made"} ${made}
sartor_server_requests_total{client="${quoted}",from="failed"} 3
sartor_server_request_seconds_bucket{from="made",le="0.01"} 10
sartor_server_request_seconds_bucket{from="made",le="0.1"} ${made}
sartor_server_request_seconds_bucket{from="made",le="+Inf"} ${made}
sartor_server_request_seconds_count{from="made"} ${made}
sartor_server_request_seconds_sum{from="made"} ${made * 0.05}
sartor_server_client_seconds_total{client="router"} 7
sartor_server_compile_seconds_total{client="router"} 2.5
sartor_server_client_connections{client="router"} 2
sartor_server_client_bytes{client="router"} 4096
sartor_server_refused_total{client="unknown",why="unknown_key"} 4
sartor_server_refused_total{client="unknown",why="constructor"} 1
sartor_server_connections 2
sartor_server_waiting 5
sartor_server_working 1
sartor_server_cached_bytes 3145728
garbage {
sartor_server_compilers_lost_total 9
`;
const freePort = async () => {
  const server = createServer(() => {});
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const { port } = server.address();
  await new Promise((done) => server.close(done));
  return port;
};
const waitFor = async (page, words) => {
  try {
    await page.waitForFunction((wanted) => document.body.textContent.includes(wanted), words);
  } catch {
    throw new Error(`not in the page: ${words}; it has: ${await page.textContent("#app")}`);
  }
};

await run({
  async showsAServer(browser) {
    let made = 40, isReady = true, isCut = false;
    const server = createServer((request, answer) => {
      if (request.url === "/metrics" && isCut) answer.writeHead(200, { Connection: "close", "Content-Length": metrics(made).length }).write(metrics(made).slice(0, -9), () => answer.socket.end());
      else if (request.url === "/metrics") answer.writeHead(200, { Connection: "close", "Content-Length": metrics(made).length }).end(metrics(made));
      else answer.writeHead(isReady ? 200 : 503, { Connection: "close", "Content-Length": isReady ? 3 : 9 }).end(isReady ? "ok\n" : "draining\n");
    });
    await new Promise((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address();
    const viewer = await view("server", {}, String(port));
    const page = await open(browser, viewer.url, {}, "[role=grid]");
    for (const words of ["ready", "router", "60.0 %", "3070 KiB", "4096 B", "unknown_key", "Add the client's public key", "constructor", attack]) await waitFor(page, words);
    same(await page.evaluate(() => window.hacked), undefined, "injected values");
    same(await page.evaluate(() => getComputedStyle(document.querySelector(".legend .key.line")).position), "static", "the place of a legend's key");
    made = 140;
    await waitFor(page, "30.0 %");
    isReady = false;
    await waitFor(page, "not ready: draining");
    isCut = true;
    await waitFor(page, "no connection: file_error: has not answered");
    isCut = false;
    await waitFor(page, "not ready: draining");
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
    await waitFor(page, "no connection: file_error: cannot be reached");
    check(page.requests.every((each) => each.startsWith(new URL(viewer.url).origin)), `requests: ${page.requests.join()}`);
    same(page.problems.join(), "", "problems");
    same(await viewer.stop(), 0, "status of sartor view");
  },

  async showsACompileServer(browser) {
    const folder = mkdtempSync(join(tmpdir(), "view-server-")), socket = join(folder, "socket");
    same(spawnSync(sartor, ["key", "--output", join(folder, "key")]).status, 0, "status of sartor key");
    const port = await freePort();
    const server = spawn(serverProgram, ["--listen", `unix:${socket}`, "--key", join(folder, "key.key"), "--metrics", String(port)], { stdio: "ignore" });
    process.once("exit", () => server.kill("SIGKILL")); // of a test that has failed
    const isUp = async () => (await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => ({}))).ok;
    for (let tries = 0; !(await isUp()); ++tries) {
      check(tries < 1200 && server.exitCode === null, "the server is ready");
      await new Promise((done) => setTimeout(done, 100));
    }
    const viewer = await view("server", {}, String(port));
    const page = await open(browser, viewer.url, {}, "#app");
    await waitFor(page, "ready");
    const compile = () => spawnSync(client, { encoding: "utf8", env: { ...process.env, SARTOR_COMPILER: `unix:${socket}` } });
    const isCompiled = (ran) => ran.status === 0 && ran.stdout.includes("compiled");
    for (const isSecond of [false, true]) {
      let ran = compile(); // the second one gets the answers of the first
      // The server ends the conversation of a client that says nothing for 10 s.
      for (let tries = 1; tries < 5 && !isCompiled(ran); ++tries) ran = compile();
      check(isCompiled(ran), `the client: ${ran.status} ${ran.stdout} ${ran.stderr}`);
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const requests = (from) => Number(text.match(`sartor_server_requests_total\\{.*from="${from}".*\\} (\\d+)`)?.[1] ?? 0);
      check(requests("made") > 0 && (!isSecond || requests("memory") > 0), `requests: ${text}`);
      await waitFor(page, `${((100 * requests("memory")) / (requests("memory") + requests("made"))).toFixed(1)} %`);
    }
    same(page.problems.join(), "", "problems");
    server.kill("SIGTERM");
    await waitFor(page, "no connection");
    same(await viewer.stop(), 0, "status of sartor view");
    rmSync(folder, { recursive: true });
  },

  async refusesWhatIsNoServer() {
    const refused = (address) => spawnSync(sartor, ["view", "server", address], { encoding: "utf8", timeout: patience });
    for (const address of ["nonsense", "host:", "127.0.0.1:x", "a/b:80", "a\r\nb:80", ":1"]) {
      const ran = refused(address);
      same(ran.status, 1, `status for ${address}`);
      check(ran.stderr.startsWith("sartor: bad_argument: "), ran.stderr);
    }
    check(refused(String(await freePort())).stderr.startsWith("sartor: file_error: "), "an address without a server");
    same(spawnSync(sartor, ["view"], { encoding: "utf8" }).status, 2, "status without a subject");
  },
});
