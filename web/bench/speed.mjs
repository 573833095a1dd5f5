// The engine as WebAssembly beside the interpreter of the host, both in one thread: milliseconds for the pictures of the examples.
// `scripts/web-speed.sh` builds both and runs this; NATIVE is a file with what `cargo run --release -p ctm-web --example speed` prints.

import { readFile } from "node:fs/promises";
import { Bench, examples, initSync } from "../src/engine/ctm_web.js";

const SIDE = 512;
const RUNS = 8;

initSync({ module: await readFile(new URL("../src/engine/ctm_web_bg.wasm", import.meta.url)) });
const native = JSON.parse(await readFile(process.env.NATIVE, "utf8"));
console.log(`${"example".padEnd(16)}${"native".padStart(10)}${"wasm".padStart(10)}${"times".padStart(8)}`);
for (const { name, language, text } of JSON.parse(examples())) {
  const bench = new Bench();
  if (JSON.parse(bench.examine(language, text)).kind === "picture") {
    const scene = JSON.stringify({ width: SIDE, height: SIDE });
    let best = Infinity;
    for (let run = 0; run < RUNS; run++) {
      const start = performance.now();
      bench.paint(scene);
      best = Math.min(best, performance.now() - start);
    }
    const times = (best / native[name]).toFixed(2);
    console.log(`${name.padEnd(16)}${native[name].toFixed(1).padStart(10)}${best.toFixed(1).padStart(10)}${times.padStart(8)}`);
  }
  bench.free();
}
