// The engine, in a thread of its own: the page stays live, and can end what takes too long.

import init, { Bench, completions, examples, explain, heatColours, isTrace, languages, open, Viewer } from "./engine/ctm_web.js";
import engine from "./engine/ctm_web_bg.wasm?url";
import relaxed from "./engine/relaxed.json";
import { plain } from "./plain.mjs";
import type { Reply, Request, Requests } from "./protocol";

let bench: Bench;
let viewer: Viewer | null = null;
const ready = start().then(() => {
  bench = new Bench();
});

async function start() {
  try {
    await init({ module_or_path: engine });
  } catch (error) {
    if (!(error instanceof WebAssembly.CompileError)) throw error;
    // A browser without relaxed vectors.
    const module = new Uint8Array(await (await fetch(engine)).arrayBuffer());
    await init({ module_or_path: plain(module, relaxed) });
  }
}

// The trace that is open.
function trace(): Viewer {
  if (!viewer) throw new Error("no trace is open");
  return viewer;
}

function openTrace(bytes: Uint8Array) {
  const next = new Viewer(bytes);
  viewer?.free();
  viewer = next;
  return { trace: JSON.parse(next.describe()) };
}

function counted(text: string) {
  return { ...JSON.parse(text), lanes: bench.laneCounts() };
}

const answers: { [name in keyof Requests]: (...args: Parameters<Requests[name]>) => ReturnType<Requests[name]> } = {
  start: () => ({ languages: JSON.parse(languages()), examples: JSON.parse(examples()), heat: heatColours() }),
  completions: (language) => JSON.parse(completions(language)),
  explain: (language, word) => explain(language, word) ?? null,
  open: (name, bytes) => (isTrace(bytes) ? openTrace(bytes) : JSON.parse(open(name, bytes))),
  examine: (language, texts) => JSON.parse(bench.examineAll(language, JSON.stringify(texts))),
  setPicture: (buffer, input, width, height, bytes) => {
    bench.setPicture(buffer, input, width, height, bytes);
    return null;
  },
  paint: (scene, part, parts) => {
    const start = performance.now();
    const painted = bench.paintPart(JSON.stringify(scene), part, parts);
    const { rows, bytes, isOpaque } = painted;
    painted.free();
    return { rows, bytes, isOpaque, milliseconds: performance.now() - start };
  },
  count: () => counted(bench.count()),
  countThreads: (settings) => counted(bench.countThreads(settings)),
  launch: (settings) => bench.launch(settings),
  draw: (settings) => {
    const frame = bench.draw(settings);
    const { points, edges, primitives } = frame;
    frame.free();
    return { points, edges, primitives };
  },
  follow: (x, y) => JSON.parse(bench.follow(x, y)),
  followThread: (settings, thread) => JSON.parse(bench.followThread(settings, thread)),
  launches: (settings) => JSON.parse(bench.launches(settings)),
  followInvocation: (settings, launch, invocation) => JSON.parse(bench.followInvocation(settings, launch, invocation)),
  moment: (step) => JSON.parse(bench.moment(step)),
  group: (step) => JSON.parse(bench.group(step)),
  stages: () => JSON.parse(bench.stages()),
  traceLines: (submission, dword) => JSON.parse(trace().lines(submission, dword)),
  traceGo: (stop) => JSON.parse(trace().go(stop)),
  tracePicture: (surface) => trace().picture(surface),
  tracePixel: (surface, x, y) => [...trace().pixel(surface, x, y)],
  traceHistory: (stop, x, y) => JSON.parse(trace().history(stop, x, y)),
};

self.onmessage = async ({ data }: MessageEvent<Request>) => {
  const { id, name, args } = data;
  try {
    await ready;
    const answer = answers[name] as (...args: unknown[]) => unknown;
    self.postMessage({ id, value: answer(...args) } satisfies Reply);
  } catch (error) {
    // An error of the engine is an answer; anything else leaves it in a state that nobody knows.
    const broken = error instanceof WebAssembly.RuntimeError || error instanceof RangeError;
    const message = error instanceof Error ? error.message : String(error);
    self.postMessage({ id, error: message, broken } satisfies Reply);
  }
};
