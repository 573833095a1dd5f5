// The engine as WebAssembly beside the interpreter of the host, both in one thread: milliseconds for the pictures of the examples. The engine
// runs in Chromium, with relaxed vectors and without, and the host's interpreter between its runs, so that both have the same machine.
// `scripts/web-speed.sh` builds all of it and runs this; NATIVE is the program `cargo run --release -p ctm-web --example speed`.

import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { chromium } from "playwright-core";

const SIDE = 512;
const ROUNDS = 4;
const TYPES = { js: "text/javascript", mjs: "text/javascript", wasm: "application/wasm", json: "application/json" };

const server = createServer(async (request, response) => {
  const path = new URL(request.url, "http://page").pathname;
  if (path === "/") return void response.writeHead(200, { "content-type": "text/html" }).end("<!doctype html>");
  try {
    const body = await readFile(new URL(`../src${path}`, import.meta.url));
    response.writeHead(200, { "content-type": TYPES[path.split(".").pop()] ?? "application/octet-stream" }).end(body);
  } catch {
    response.writeHead(404).end();
  }
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: ["--no-sandbox", "--disable-dev-shm-usage"],
});
const page = await browser.newPage();
await page.goto(`http://127.0.0.1:${server.address().port}/`);

const names = await page.evaluate(async () => {
  const { plain } = await import("/plain.mjs");
  const module = new Uint8Array(await (await fetch("/engine/ctm_web_bg.wasm")).arrayBuffer());
  const places = await (await fetch("/engine/relaxed.json")).json();
  window.engines = {};
  for (const [name, form] of [["relaxed", module], ["plain", plain(module, places)]]) {
    const loaded = await import(`/engine/ctm_web.js?${name}`);
    loaded.initSync({ module: form });
    window.engines[name] = loaded;
  }
  return JSON.parse(window.engines.plain.examples()).map(({ name }) => name);
});
// The least of some runs, of which the first ones compile; none of programs that make no picture.
const run = (form, name) =>
  page.evaluate(
    ({ form, name, side }) => {
      const { Bench, examples } = window.engines[form];
      const { language, text } = JSON.parse(examples()).find((example) => example.name === name);
      const bench = new Bench();
      if (JSON.parse(bench.examine(language, text)).kind !== "picture") return Infinity;
      const scene = JSON.stringify({ width: side, height: side });
      let best = Infinity;
      for (let run = 0; run < 4; run++) {
        const start = performance.now();
        bench.paint(scene);
        best = Math.min(best, performance.now() - start);
      }
      bench.free();
      return best;
    },
    { form, name, side: SIDE },
  );

const columns = ["native", "relaxed", "times", "plain", "times"];
console.log(`${"example".padEnd(16)}${columns.map((column) => column.padStart(10)).join("")}`);
for (const name of names) {
  const best = { native: Infinity, relaxed: Infinity, plain: Infinity };
  for (let round = 0; round < ROUNDS; round++) {
    best.native = Math.min(best.native, JSON.parse(execFileSync(process.env.NATIVE, [name], { encoding: "utf8" }))[name] ?? Infinity);
    for (const form of ["relaxed", "plain"]) best[form] = Math.min(best[form], await run(form, name));
  }
  if (best.native === Infinity) continue;
  const { native, relaxed, plain } = best;
  const figures = [native.toFixed(1), relaxed.toFixed(1), (relaxed / native).toFixed(2), plain.toFixed(1), (plain / native).toFixed(2)];
  console.log(`${name.padEnd(16)}${figures.map((figure) => figure.padStart(10)).join("")}`);
}
await browser.close();
server.close();
