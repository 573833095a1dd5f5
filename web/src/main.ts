// The page: its state, and who is told when it changes.

import "./style.css";
import { Client, Stopped } from "./client";
import { Controls } from "./controls";
import { Debugger } from "./debug";
import { find, make, Tabs } from "./dom";
import { Editor } from "./editor";
import { decode, encode, FRESH, PICTURE, type State } from "./link";
import { Invocations } from "./invocations";
import { Listing } from "./listing";
import { Passes } from "./passes";
import { Picture, type View } from "./picture";
import type { Examination, Example, ProgramKind, Language, LanguageId, LaunchOf, Painted, Scene, Word } from "./protocol";
import { TraceView } from "./trace";
import { spell } from "./values";
import { WireframeView } from "./wireframe";

// A picture that was asked for before the text was examined, and of which scene.
type Ahead = { asked: string; painted: Promise<Painted> };
type Panel = "listing" | "lane" | "stages";

// How long nothing must change before counts are made, and links are written.
const REST = 200;

let state: State = structuredClone(FRESH);
// What is found in the text that is looked at, and in all texts in the order in which they run.
let examined: Examination | null = null;
let found: Examination[] = [];
let languages: Language[] = [];
let examples: Example[] = [];
let panel: Panel = "listing";
let textChanged = true;
let running = false;
let pending = false;
// Whether the last run has completed, so that there is something to count.
let complete = false;
let resting = 0;
// What stood after the '#' when it was last read or written.
let address = "";
let lane: [number, number] | null = null;
let launches: LaunchOf[] = [];
let launch = 0;
const words = new Map<LanguageId, Promise<Word[]>>();

const status = find("status");
const stopButton = find<HTMLButtonElement>("stop");
const problems = find("problems");
const stage = find("stage");
const panelElement = find("panel");
const exampleSelect = find<HTMLSelectElement>("example");
const languageSelect = find<HTMLSelectElement>("language");

const client = new Client(() => {
  words.clear();
  textChanged = true;
  trace.forget();
});
const editor = new Editor(
  find("editor"),
  {
    words: (id) => {
      const known = words.get(id) ?? client.call("completions", id);
      words.set(id, known);
      return known;
    },
    explain: (id, word) => client.call("explain", id, word).catch(() => null),
  },
  (text) => {
    if (text === passes.current.text) return;
    passes.current.text = text;
    textChanged = true;
    refresh();
  },
  (line) => {
    listing.markLine(line);
    listing.scrollToLinked();
  },
);
const picture = new Picture((x, y) => void follow(x, y), moved);
const wireframe = new WireframeView();
const memory = make("div", { class: "memory" });
const listing = new Listing((line) => {
  editor.markLine(line, true);
  listing.markLine(line);
});
const lanes = new Debugger(listing, {
  moment: (step) => client.call("moment", step),
  group: (step) => client.call("group", step),
  other: ({ i, j, runs }, step) => {
    if (runs) void follow(i, j, step);
  },
  stands: (at) => {
    listing.markCurrent(at);
    const line = listing.at(at)?.line ?? 0;
    editor.markLine(line > 0 ? line : null, true);
  },
});
const passes = new Passes(find("passes"), () => state, () => languages.some(({ id, compiled }) => id === state.language && compiled), {
  chosen: turn,
  changed: () => {
    textChanged = true;
    turn(passes.shown);
  },
});
const controls = new Controls(
  () => state,
  () => ({ of: passes.current, buffers: passes.buffers.map(({ name }) => name) }),
  { changed: refresh, picture: (input, file) => void givePicture(input, file) },
);
const invocations = new Invocations((chosen, invocation) => {
  launch = chosen;
  void follow(invocation, 0);
});
const stages = make("div", { class: "stages" });
const trace = new TraceView({ client, work, say: (text) => say(text) });
find("controls").append(controls.element);

const views = new Tabs<View>(find("views"), "stage", (view) => {
  picture.setView(view);
  rest();
});
const panels = new Tabs<Panel>(find("panels"), "panel", showPanel);

function showPanel(next: Panel) {
  panel = next;
  document.body.dataset.panel = panel;
  const isDraw = examined?.kind === "pipeline";
  const shown = { listing: [listing.element], lane: isDraw ? [invocations.element, lanes.element] : [lanes.element], stages: [stages] };
  panelElement.replaceChildren(...shown[panel]);
  if (panel === "stages") void showStages();
  if (panel === "lane" && isDraw) void showLaunches();
}

function say(text: string, kind: "" | "error" | "busy" = "") {
  status.textContent = text;
  status.dataset.kind = kind;
}

function scene(): Scene {
  const [width, height] = state.size;
  const constants: Scene["constants"] = { ...state.constants };
  const uniforms: Scene["uniforms"] = { ...state.uniforms };
  const put = (to: string, values: number[]) => {
    const register = /^c(\d+)$/.exec(to);
    if (register) constants[Number(register[1])] = values;
    else if (to !== "") {
      const uniform = found.flatMap(({ uniforms }) => uniforms).find((one) => one.name === to);
      uniforms[to] = values.slice(0, uniform ? uniform.columns * uniform.rows * uniform.elements : 1);
    }
  };
  const { seconds } = state.time;
  put(state.time.to, [seconds, seconds, seconds, seconds]);
  const { x, y } = state.mouse;
  const mouse = [x, y, x, y];
  put(state.mouse.to, mouse);
  const { buffers, place } = passes;
  const shown = place < buffers.length ? place : null;
  return { width, height, constants, uniforms, seconds, mouse, inputs: state.inputs, buffers: buffers.map(({ inputs }) => inputs), shown };
}

// Brings everything up to date with the state: once, however often it is called while that is going on.
function refresh() {
  pending = true;
  if (!running) void update();
}

// Does what may take long, with a button that ends it.
async function work(what: () => Promise<void>): Promise<boolean> {
  const slow = setTimeout(() => {
    stopButton.hidden = false;
    say("running …", "busy");
  }, 400);
  try {
    await what();
    if (status.dataset.kind === "busy") say("");
    return true;
  } catch (error) {
    if (!(error instanceof Stopped)) say((error as Error).message, "error");
    else say("stopped");
    return false;
  } finally {
    clearTimeout(slow);
    stopButton.hidden = true;
  }
}

async function update() {
  running = true;
  complete = await work(async () => {
    while (pending) {
      pending = false;
      const start = performance.now();
      let ahead: Ahead | null = null;
      if (textChanged) {
        textChanged = false;
        lane = null;
        const examining = client.examine(state.language, passes.texts);
        ahead = paintAhead();
        const all = await examining;
        if (textChanged) continue;
        found = all;
        showExamined();
      }
      if (examined?.runs) await run(examined.kind, start, ahead);
    }
  });
  running = false;
  if (pending) void update();
  else rest();
}

// Asks for the picture of a text that is still examined: most edits leave a program one that makes a picture of the same scene.
function paintAhead(): Ahead | null {
  // A picture that is not wanted would be a frame of the buffers all the same.
  if (!examined?.runs || examined.kind !== "picture" || passes.buffers.length > 0) return null;
  const asked = scene();
  const painted = client.paint(asked);
  // What is wrong with a text shows in what is found in it.
  painted.catch(() => {});
  return { asked: JSON.stringify(asked), painted };
}

async function run(kind: ProgramKind, start: number, ahead: Ahead | null) {
  if (kind === "picture") {
    const [width, height] = state.size;
    const wanted = scene();
    const { picture: pixels, milliseconds } = await (ahead?.asked === JSON.stringify(wanted) ? ahead.painted : client.paint(wanted));
    picture.show(pixels, width, height);
    const total = performance.now() - start;
    document.body.dataset.painted = total.toFixed(1);
    say(`${width} × ${height} in ${milliseconds.toFixed(0)} ms`);
  } else if (kind === "pipeline") {
    wireframe.show(await client.call("draw", state.settings || "{}"));
    if (panel === "lane") void showLaunches();
    say("drawn");
  } else {
    showMemory(await client.call("launch", state.settings || "{}"));
    say("done");
  }
}

// Puts the link of the state into the address, unless another one has been opened since, which is about to be loaded.
async function showLink() {
  const [shown, before] = [state, address];
  const link = `#${await encode(shown)}`;
  if (shown === state && before === address && location.hash === address) setAddress(link);
}

function setAddress(hash: string) {
  history.replaceState(null, "", hash || location.pathname);
  address = location.hash;
}

// What waits until nothing has changed for a while: counts, and the link.
function rest() {
  clearTimeout(resting);
  resting = window.setTimeout(async () => {
    if (running || !examined?.runs) return;
    const asked = examined;
    try {
      if (complete && (!controls.isPlaying || picture.view !== "picture")) {
        if (asked.kind === "picture") {
          const counted = await client.call("count");
          if (asked === examined) {
            listing.setCounts(counted);
            picture.setLanes(counted.lanes);
            document.body.dataset.counted = String(counted.lanes.reduce((sum, count) => sum + count, 0));
          }
        } else if (asked.kind === "compute") listing.setCounts(await client.call("countThreads", state.settings || "{}"));
      }
      if (panel === "stages") await showStages();
    } catch (error) {
      if (!(error instanceof Stopped)) say((error as Error).message, "error");
    }
    if (!controls.isPlaying) await showLink();
  }, controls.isPlaying ? 0 : REST);
}

// Shows what is found in the text that is looked at. It runs if all texts do.
function showExamined() {
  const own = found[passes.place];
  if (!own) return;
  const before = examined;
  const wrong = found.findIndex(({ runs }) => !runs);
  // While a text is wrong, what the last right one showed stays.
  examined = wrong < 0 || !before ? { ...own, runs: wrong < 0 } : { ...before, runs: false, problems: own.problems };
  editor.setProblems(own.problems);
  passes.mark(found);
  showProblems();
  if (wrong >= 0) {
    const errors = found.flatMap(({ problems }) => problems).filter(({ severity }) => severity === "error").length;
    const where = wrong === passes.place ? "" : ` in ${passes.texts[wrong]?.buffer ?? "the image"}`;
    say(`${errors} ${errors === 1 ? "error" : "errors"}${where}`, "error");
    if (before) return;
  }
  if (lanes.live) {
    lanes.clear();
    picture.point(null);
    listing.markCurrent(null);
  }
  editor.markLine(null, false);
  listing.show(own.listing, own.stages);
  unbindOthers();
  picture.setBottomUp(own.bottom_up);
  controls.show(own);
  if (before?.kind !== own.kind) showKind(own.kind);
}

// Looks at another text, which has been examined unless a text has changed.
function turn(name: string) {
  editor.turn(name, passes.current.text);
  examined = null;
  lane = null;
  if (!textChanged) showExamined();
  refresh();
}

// Time and mouse go to nothing that no text has, nor to a uniform that has a meaning by its name.
function unbindOthers() {
  const uniforms = found.flatMap(({ uniforms }) => uniforms);
  const has = (to: string) => /^c\d+$/.test(to) || uniforms.some((uniform) => uniform.name === to && !uniform.known);
  if (!has(state.time.to)) state.time.to = "";
  if (!has(state.mouse.to)) state.mouse.to = "";
}

function showKind(kind: ProgramKind) {
  find("view-title").textContent = { picture: "Picture", compute: "Memory", pipeline: "Wireframe" }[kind];
  stage.replaceChildren({ picture: picture.element, compute: memory, pipeline: wireframe.element }[kind]);
  views.set(kind === "picture" ? [["picture", "Picture"], ["heat", "Heat"], ["divergence", "Divergence"]] : [], picture.view);
  const one = { picture: "Lane", compute: "Thread", pipeline: "Invocation" }[kind];
  panels.set([["listing", "Instructions"], ["lane", one], ["stages", "Stages"]], panel);
  lanes.invite(
    {
      picture: "Click a pixel of the picture: its lane is followed through the whole program.",
      compute: "Click a word of the memory: the thread with its number is followed through the whole program.",
      pipeline: "Choose an invocation of a stage: it is followed through the whole program.",
    }[kind],
  );
  showPanel(panel);
}

function showProblems() {
  const list = examined?.problems ?? [];
  problems.replaceChildren(
    ...list.slice(0, 20).map((problem) =>
      make(
        "button",
        { type: "button", class: `problem ${problem.severity}`, onclick: () => editor.select(problem.from, problem.to) },
        make("b", {}, problem.severity),
        ` ${problem.message}`,
        problem.help && make("small", {}, problem.help),
      ),
    ),
  );
}

function showMemory(values: Uint32Array) {
  memory.replaceChildren(
    ...Array.from(values.slice(0, 4096), (bits, thread) =>
      make("button", { type: "button", title: `Word ${thread}: follow thread ${thread}`, onclick: () => void follow(thread, 0) }, make("i", {}, String(thread)), spell(bits, "word", "value")),
    ),
  );
}

// Follows the lane of a pixel, a thread, or an invocation of the launch that is chosen.
async function follow(i: number, j: number, step = Infinity) {
  if (!examined?.runs) return;
  const { kind, stages } = examined;
  const settings = state.settings || "{}";
  await work(async () => {
    if (kind === "picture") {
      const timeline = await client.call("follow", i, j);
      lane = [i, j];
      picture.point(lane);
      panels.select("lane");
      lanes.show(`Lane (${i}, ${j})`, "lane", timeline, lane, step);
    } else if (kind === "compute") {
      const timeline = await client.call("followThread", settings, i);
      panels.select("lane");
      lanes.show(`Thread ${i}`, "thread", timeline, [i, 0], step);
    } else {
      const timeline = await client.call("followInvocation", settings, launch, i);
      invocations.set(launch, i);
      const stage = stages[launches[launch]?.stage ?? 0] ?? "";
      lanes.show(`Invocation ${i} of launch ${launch}, ${stage}`, "invocation", timeline, [i, 0], step);
    }
  });
}

// The launches of a draw, which are counted only where somebody looks for them.
async function showLaunches() {
  if (!examined?.runs || examined.kind !== "pipeline") return;
  const { stages } = examined;
  await work(async () => {
    launches = await client.call("launches", state.settings || "{}");
    invocations.show(launches, stages);
  });
}

function moved(x: number, y: number, pressed: boolean) {
  if (!lane) {
    const executed = picture.executed(x, y);
    const count = executed === null ? "" : ` · ${executed.toLocaleString("en")} instructions`;
    say(`(${x}, ${y}): ${picture.shown(x, y).join(" ")}${count}`);
  }
  const follows = state.mouse.to !== "" || found.some(({ uniforms }) => uniforms.some((uniform) => uniform.known && /mouse$/i.test(uniform.name)));
  if (follows && (pressed || !lane)) {
    Object.assign(state.mouse, { x, y });
    refresh();
  }
}

async function showStages() {
  if (!examined?.runs) return;
  const forms = await client.call("stages");
  const open = new Set([...stages.querySelectorAll("details[open]")].map((details) => (details as HTMLElement).dataset.name));
  const first = open.size === 0;
  const kind = examined.kind;
  const note =
    kind === "picture"
      ? "The page interprets lane IR. Machine code for the processor of this computer is not made in browsers; 'ctm run PROGRAM --emit asm' prints it on the command line."
      : "The lane IR of SM50 programs is not shown.";
  stages.replaceChildren(
    make("p", { class: "story" }, note),
    ...forms.map((form, at) =>
      make("details", { "data-name": form.name, open: first ? at === forms.length - 1 : open.has(form.name) }, make("summary", {}, form.name, make("small", {}, `${form.text.trimEnd().split("\n").length} lines`)), make("pre", { tabindex: 0, "aria-label": form.name }, form.text)),
    ),
  );
}

async function givePicture(input: number, file: Blob) {
  try {
    const bitmap = await createImageBitmap(file);
    // Rows of surfaces have whole blocks of 32 bytes: sides of whole eights need no padding.
    const side = (length: number) => Math.max(8, Math.min(512, length) & ~7);
    const [width, height] = [side(bitmap.width), side(bitmap.height)];
    const context = new OffscreenCanvas(width, height).getContext("2d");
    if (!context) throw new Error("this browser draws no pictures");
    context.drawImage(bitmap, 0, 0, width, height);
    const { data } = context.getImageData(0, 0, width, height);
    const pass = passes.current;
    await client.setPicture(passes.shown === PICTURE ? null : passes.shown, input, width, height, new Uint8Array(data));
    pass.inputs[input] = "picture";
    refresh();
  } catch (error) {
    say(`the file is not a picture: ${(error as Error).message}`, "error");
  }
}

async function openFile(file: File) {
  if (file.type.startsWith("image/")) {
    const input = examined?.inputs[0];
    if (input) return givePicture(input.number, file);
    return say("the program reads no input that could take a picture", "error");
  }
  try {
    const bytes = new Uint8Array(await file.arrayBuffer());
    const opened = await client.call("open", file.name, bytes);
    if ("trace" in opened) {
      showTrace();
      trace.show(file.name, bytes, opened.trace);
    } else {
      load({ ...structuredClone(FRESH), ...opened });
      say(`${file.name} opened`);
    }
  } catch (error) {
    say((error as Error).message, "error");
  }
}

// A trace takes the place of program, picture and machine.
function showTrace() {
  controls.toggle(false);
  document.body.dataset.mode = "trace";
  exampleSelect.value = "";
  setAddress("");
  find("source-title").textContent = "Commands";
  find("view-title").textContent = "Surfaces";
  find("machine-title").textContent = "Pixel";
  find("trace").replaceChildren(trace.commands);
  stage.replaceChildren(trace.stage);
  panelElement.replaceChildren(trace.pixel);
  views.set([], "picture");
  panels.set([], "listing");
  examined = null;
  say("");
}

function hideTrace() {
  if (document.body.dataset.mode !== "trace") return;
  delete document.body.dataset.mode;
  find("source-title").textContent = "Program";
  find("machine-title").textContent = "Machine";
}

// Takes another state: of an example, a link, a file.
function load(next: State) {
  hideTrace();
  controls.toggle(false);
  state = next;
  languageSelect.value = state.language;
  textChanged = true;
  examined = null;
  found = [];
  passes.shown = PICTURE;
  passes.show();
  editor.show(state.language, state.text);
  refresh();
}

function loadExample(example: Example) {
  const inputs = example.pattern === "" ? {} : Object.fromEntries(Array.from({ length: 16 }, (_, input) => [input, example.pattern as "checker"]));
  load({ ...structuredClone(FRESH), language: example.language, text: example.text, size: [...example.size], inputs, time: { to: example.time, seconds: 0 }, settings: example.settings });
}

function theme(next?: string) {
  const root = document.documentElement;
  const dark = (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  root.dataset.theme = next ?? (dark ? "light" : "dark");
  localStorage.setItem("theme", root.dataset.theme);
  wireframe.draw();
  lanes.redraw();
}

async function start() {
  const chosen = localStorage.getItem("theme");
  if (chosen === "dark" || chosen === "light") theme(chosen);
  find("theme").addEventListener("click", () => theme());
  find("share").addEventListener("click", async () => {
    await showLink();
    await navigator.clipboard.writeText(location.href).then(
      () => say("the link is in the clipboard"),
      () => say("the link is in the address bar"),
    );
  });
  stopButton.addEventListener("click", () => {
    pending = false;
    client.stop();
  });
  const file = find<HTMLInputElement>("file");
  find("open").addEventListener("click", () => file.click());
  file.addEventListener("change", () => file.files?.[0] && void openFile(file.files[0]));
  document.addEventListener("dragover", (event) => event.preventDefault());
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    const dropped = event.dataTransfer?.files[0];
    if (dropped) void openFile(dropped);
  });
  const started = await client.call("start");
  ({ languages, examples } = started);
  picture.heat = started.heat;
  languageSelect.replaceChildren(...languages.map(({ id, name }) => make("option", { value: id }, name)));
  languageSelect.addEventListener("change", () => {
    state.language = languageSelect.value as LanguageId;
    editor.setLanguage(state.language);
    textChanged = true;
    const { shown } = passes;
    passes.show();
    if (passes.shown === shown) refresh();
    else turn(passes.shown);
  });
  exampleSelect.replaceChildren(make("option", { value: "", disabled: true }, "choose …"), ...examples.map(({ name, title }) => make("option", { value: name }, title)));
  exampleSelect.addEventListener("change", () => {
    const example = examples.find(({ name }) => name === exampleSelect.value);
    if (example) loadExample(example);
  });
  address = location.hash;
  const linked = await decode(address);
  exampleSelect.value = linked ? "" : (examples[0]?.name ?? "");
  if (linked) load(linked);
  else if (examples[0]) loadExample(examples[0]);
  window.addEventListener("hashchange", async () => {
    const { hash } = location;
    const next = await decode(hash);
    address = hash;
    if (next && JSON.stringify(next) !== JSON.stringify(state)) load(next);
  });
}

start().catch((error: Error) => say(error.message, "error"));
