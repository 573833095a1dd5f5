// The engine as WebAssembly against the native one: the bits of all examples, and how often each instruction executed.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { plain } from "../src/plain.mjs";

let native;
// The engine with relaxed vectors, where Node.js has them, and without: each a module of its own.
const engines = [];
const scene = (side) => JSON.stringify({ width: side, height: side });
const engine = (name) => new URL(`../src/engine/${name}`, import.meta.url);

before(async () => {
  const module = await readFile(engine("ctm_web_bg.wasm"));
  const places = JSON.parse(await readFile(engine("relaxed.json"), "utf8"));
  assert.ok(places.length > 10, "multiply-adds");
  if (!WebAssembly.validate(module)) setFlagsFromString("--experimental-wasm-relaxed-simd");
  const forms = [["plain", plain(module, places)], ["relaxed", module]].filter(([, form]) => WebAssembly.validate(form));
  for (const [name, form] of forms) {
    const loaded = await import(`../src/engine/ctm_web.js?${name}`);
    loaded.initSync({ module: form });
    engines.push({ name, ...loaded });
  }
  assert.equal(engines[0].name, "plain");
  assert.throws(() => plain(module, [places[0] + 1]), /no multiply-add/);
  // Made by `cargo run -p ctm-web --example pictures`.
  native = JSON.parse(await readFile(process.env.NATIVE ?? new URL("native.json", import.meta.url), "utf8"));
});

test("the same bits as the native engine, with relaxed vectors and without", () => {
  for (const { name: form, Bench, examples } of engines) {
    const all = JSON.parse(examples());
    assert.deepEqual(all.map(({ name }) => name).sort(), Object.keys(native).sort());
    for (const { name, language, text, settings } of all) {
      const what = `${name}, ${form}`;
      const bench = new Bench();
      const examined = JSON.parse(bench.examine(language, text));
      assert.ok(examined.runs, what);
      if (examined.kind === "picture") {
        bench.paint(scene(64));
        assert.equal(bench.hash(), native[name].hash, what);
        const counted = JSON.parse(bench.count());
        assert.deepEqual(counted.instructions.map(({ lanes }) => lanes), native[name].instructions, what);
        const lanes = bench.laneCounts().reduce((sum, count) => sum + count, 0);
        assert.equal(lanes, native[name].executed, what);
      } else if (examined.kind === "compute") {
        assert.deepEqual([...bench.launch(settings)], native[name].words, what);
      } else {
        const frame = bench.draw(settings);
        assert.deepEqual([...frame.points], native[name].points, what);
        frame.free();
      }
      bench.free();
    }
  }
});

test("texts of no program, and runs that end too early, are errors that say so", () => {
  const bench = new engines[0].Bench();
  assert.equal(JSON.parse(bench.examine("x1k", "nonsense")).runs, false);
  assert.throws(() => bench.paint(scene(8)), /the text has errors/);
  assert.throws(() => bench.paint("{"), /EOF/);
  bench.examine("glsl", "void main() { gl_FragColor = vec4(1.0); }");
  assert.throws(() => bench.paint(scene(0)), /no pixels/);
  assert.equal(bench.paint(scene(8)).length, 8 * 8 * 4);
  assert.throws(() => bench.paint(JSON.stringify({ width: 100000, height: 1 })));
  bench.free();
});

test("damaged texts never break the engine", () => {
  const { Bench, examples } = engines[0];
  const bench = new Bench();
  let seed = 12345;
  const random = (count) => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) % count;
  for (const { language, text } of JSON.parse(examples())) {
    for (let round = 0; round < 20; round++) {
      const at = random(text.length);
      const from = random(text.length);
      const damaged = text.slice(0, at) + text.slice(from, from + random(20)) + text.slice(at + random(20));
      assert.equal(typeof JSON.parse(bench.examine(language, damaged)).runs, "boolean");
    }
  }
  bench.free();
});
