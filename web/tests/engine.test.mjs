// The engine as WebAssembly against the native one: the bits of all examples, and how often each instruction executed.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { before, test } from "node:test";
import init, { Bench, examples, initSync } from "../src/engine/ctm_web.js";

let native;
const scene = (side) => JSON.stringify({ width: side, height: side });

before(async () => {
  initSync({ module: await readFile(new URL("../src/engine/ctm_web_bg.wasm", import.meta.url)) });
  // Made by `cargo run -p ctm-web --example pictures`.
  native = JSON.parse(await readFile(process.env.NATIVE ?? new URL("native.json", import.meta.url), "utf8"));
  assert.ok(init);
});

test("the same bits as the native engine", () => {
  const all = JSON.parse(examples());
  assert.deepEqual(all.map(({ name }) => name).sort(), Object.keys(native).sort());
  for (const { name, language, text, settings } of all) {
    const bench = new Bench();
    const examined = JSON.parse(bench.examine(language, text));
    assert.ok(examined.runs, name);
    if (examined.kind === "picture") {
      bench.paint(scene(64));
      assert.equal(bench.hash(), native[name].hash, name);
      const counted = JSON.parse(bench.count());
      assert.deepEqual(counted.instructions.map(({ lanes }) => lanes), native[name].instructions, name);
      const lanes = bench.laneCounts().reduce((sum, count) => sum + count, 0);
      assert.equal(lanes, native[name].executed, name);
    } else if (examined.kind === "compute") {
      assert.deepEqual([...bench.launch(settings)], native[name].words, name);
    } else {
      const frame = bench.draw(settings);
      assert.deepEqual([...frame.points], native[name].points, name);
      frame.free();
    }
    bench.free();
  }
});

test("texts of no program, and runs that end too early, are errors that say so", () => {
  const bench = new Bench();
  assert.equal(JSON.parse(bench.examine("x1k", "nonsense")).runs, false);
  assert.throws(() => bench.paint(scene(8)), /no program/);
  assert.throws(() => bench.paint("{"), /EOF/);
  bench.examine("glsl", "void main() { gl_FragColor = vec4(1.0); }");
  assert.throws(() => bench.paint(scene(0)), /no pixels/);
  assert.equal(bench.paint(scene(8)).length, 8 * 8 * 4);
  assert.throws(() => bench.paint(JSON.stringify({ width: 100000, height: 1 })));
  bench.free();
});

test("damaged texts never break the engine", () => {
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
