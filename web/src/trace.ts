// A trace of the device or of a card: its commands, the surfaces after each draw, the history of a pixel.

import type { Client } from "./client";
import { make } from "./dom";
import { Picture } from "./picture";
import type { TraceDescription, TraceSurface } from "./protocol";
import { spell } from "./values";

interface Hooks {
  client: Client;
  // Runs something that may take long, with a button that ends it. False if it was ended, or failed.
  work(what: () => Promise<void>): Promise<boolean>;
  say(text: string): void;
}

export class TraceView {
  // What stands in the place of the program, of the picture, and of the machine.
  readonly commands = make("div", { class: "trace-commands" });
  readonly stage = make("div", { class: "trace-stage" });
  readonly pixel = make("div", { class: "trace-pixel" });
  private picture: Picture;
  private list = make("div", { class: "trace-list", role: "list", "aria-label": "Commands of the submission", tabindex: 0 });
  private submission = make("input", { type: "number", min: 0, value: 0, "aria-label": "Submission" });
  private slider = make("input", { type: "range", min: 0, max: 0, value: 0 });
  private where = make("output", { class: "where", "aria-live": "polite" });
  private surface = make("select", { "aria-label": "Surface" });
  private flip = make("input", { type: "checkbox" });
  private range = make("p", { class: "facts", hidden: true });
  private warnings = make("ul", { class: "warnings" });
  private facts = make("p", { class: "facts" });
  private bytes: Uint8Array = new Uint8Array();
  private described: TraceDescription = { kind: "card", facts: [], stops: [], submissions: 0, damage: null };
  private isOpen = false;
  private stop = 0;
  private shown = -1;
  private listed: number | null = null;
  private surfaces: TraceSurface[] = [];
  private at: [number, number] | null = null;
  private going = false;
  private looked: [number, number] | null = null;
  private looking = false;

  constructor(private hooks: Hooks) {
    this.picture = new Picture(
      (x, y) => void this.choose(x, y),
      (x, y) => void this.look(x, y),
      "Surface. Move with the arrow keys and press Enter, to see what was done to a pixel.",
    );
    const button = (text: string, label: string, key: string, act: () => void) =>
      make("button", { type: "button", "aria-label": label, title: `${label} (${key})`, "aria-keyshortcuts": key, onclick: act }, text);
    const explain = make("input", { type: "checkbox", checked: true, onchange: () => this.list.classList.toggle("bare", !explain.checked) });
    this.commands.append(
      make("div", { class: "line" }, make("label", {}, "Submission", this.submission), make("label", {}, explain, "explained")),
      this.list,
    );
    this.stage.append(
      make(
        "div",
        { class: "steps", role: "toolbar", "aria-label": "Steps" },
        button("|◀", "First", "Home", () => void this.go(0)),
        button("◀", "Back", ",", () => void this.go(this.stop - 1)),
        button("▶", "Forward", ".", () => void this.go(this.stop + 1)),
        button("▶|", "Last", "End", () => void this.go(Infinity)),
        this.where,
      ),
      this.slider,
      this.picture.element,
      this.range,
      make("div", { class: "line" }, make("label", {}, "Surface", this.surface), make("label", {}, this.flip, "bottom row first")),
      this.facts,
      this.warnings,
    );
    this.slider.addEventListener("input", () => void this.go(Number(this.slider.value)));
    this.submission.addEventListener("change", () => void this.showSubmission(Number(this.submission.value), 0));
    this.surface.addEventListener("change", () => void this.hooks.work(() => this.paint().then(() => this.history())));
    this.flip.addEventListener("change", () => void this.hooks.work(() => this.paint()));
    for (const part of [this.commands, this.stage, this.pixel]) {
      part.addEventListener("keydown", (event) => {
        if (event.target instanceof HTMLInputElement || event.target instanceof HTMLSelectElement) return;
        const to = { Home: 0, End: Infinity, ",": this.stop - 1, ".": this.stop + 1 }[event.key];
        if (to === undefined) return;
        void this.go(to);
        event.preventDefault();
      });
    }
  }

  // Shows a trace that the engine has open.
  show(name: string, bytes: Uint8Array, described: TraceDescription) {
    Object.assign(this, { bytes, described, isOpen: true, shown: -1, listed: null, at: null, surfaces: [] });
    const { stops, kind, facts, damage, submissions } = described;
    this.slider.max = String(Math.max(0, stops.length - 1));
    this.slider.setAttribute("aria-label", kind === "card" ? "Draw" : "Start of a program");
    this.submission.max = String(Math.max(0, submissions - 1));
    this.facts.textContent = `${name}: ${facts.map(([fact, value]) => `${fact} ${value}`).join(", ")}.`;
    this.picture.element.hidden = stops.length === 0;
    this.picture.point(null);
    // OpenGL has the bottom row of framebuffer objects first, and those are what programs without a window draw to.
    this.flip.checked = kind === "card";
    this.tell(damage ? [damage] : []);
    this.idle();
    if (stops.length > 0) void this.go(Infinity);
    else {
      this.where.textContent = kind === "card" ? "nothing is drawn" : "no program is started";
      void this.showSubmission(0, 0);
    }
  }

  // The engine was ended: the next question opens the trace again.
  forget() {
    this.isOpen = false;
    this.shown = -1;
  }

  private async ready() {
    if (this.isOpen) return;
    await this.hooks.client.call("open", "trace", this.bytes);
    this.isOpen = true;
  }

  private get noun(): string {
    return this.described.kind === "card" ? "draw" : "start";
  }

  private row(y: number): number {
    return this.flip.checked ? (this.surfaces[Number(this.surface.value)]?.height ?? 0) - 1 - y : y;
  }

  private async go(stop: number) {
    const { stops } = this.described;
    if (stops.length === 0) return;
    this.stop = Math.max(0, Math.min(stops.length - 1, stop));
    this.slider.value = String(this.stop);
    // While the slider moves, only the newest place matters.
    if (this.going) return;
    this.going = true;
    await this.hooks.work(async () => {
      await this.ready();
      while (this.shown !== this.stop) {
        const next = this.stop;
        const { surfaces, warnings } = await this.hooks.client.call("traceGo", next);
        this.shown = next;
        this.where.textContent = `${this.noun} ${next} of 0 to ${stops.length - 1}`;
        this.slider.setAttribute("aria-valuetext", this.where.textContent);
        this.tell([...(this.described.damage ? [this.described.damage] : []), ...warnings]);
        this.choices(surfaces);
        await this.paint();
        const [submission, dword] = stops[next] ?? [0, 0];
        await this.showLines(submission, dword);
      }
      if (this.at) await this.history();
    });
    this.going = false;
  }

  private choices(surfaces: TraceSurface[]) {
    const chosen = this.surfaces[Number(this.surface.value)]?.name;
    this.surfaces = surfaces;
    this.surface.replaceChildren(...surfaces.map(({ name, width, height }, at) => make("option", { value: at }, `${name}, ${width} × ${height}`)));
    this.surface.value = String(Math.max(0, surfaces.findIndex(({ name }) => name === chosen)));
  }

  private tell(warnings: string[]) {
    this.warnings.replaceChildren(...warnings.map((warning) => make("li", {}, warning)));
  }

  private async paint() {
    const at = Number(this.surface.value);
    const surface = this.surfaces[at];
    this.picture.element.hidden = !surface;
    this.range.hidden = !surface?.depths;
    if (!surface) return;
    const { width, height, depths } = surface;
    const [least, most] = depths ?? [0, 1];
    const of = (depth: number) => Number(depth.toPrecision(6));
    this.range.textContent = least === most ? `Depth ${of(most)} everywhere.` : `Depths from ${of(least)}, black, to ${of(most)}, white.`;
    const stored = await this.hooks.client.call("tracePicture", at);
    const pixels = new Uint8Array(stored.length);
    for (let y = 0; y < height; y++) {
      const from = 4 * width * this.row(y);
      pixels.set(stored.subarray(from, from + 4 * width), 4 * width * y);
    }
    // What a buffer holds as alpha is not how much of the page shows through.
    for (let byte = 3; byte < pixels.length; byte += 4) pixels[byte] = 255;
    this.picture.show(pixels, width, height);
    document.body.dataset.traced = `${this.noun} ${this.shown}`;
  }

  private async showSubmission(submission: number, dword: number) {
    await this.hooks.work(async () => {
      await this.ready();
      await this.showLines(Math.max(0, Math.min(this.described.submissions - 1, submission)), dword);
    });
  }

  private async showLines(submission: number, dword: number) {
    const { stops } = this.described;
    const part = await this.hooks.client.call("traceLines", submission, dword);
    this.submission.value = String(submission);
    const here = new Map(stops.flatMap(([of, at], number) => (of === submission ? [[at, number] as const] : [])));
    const current = stops[this.stop];
    const before = stops[this.stop - 1];
    const first = before && before[0] === submission ? before[1] : -1;
    const more = (count: number) => count > 0 && make("p", { class: "more" }, `${count.toLocaleString("en")} lines more`);
    this.list.replaceChildren(
      ...[
        more(part.before),
        ...part.lines.map((line) => {
          const stop = here.get(line.dword);
          const isCurrent = current?.[0] === submission && current[1] === line.dword;
          const belongs = current?.[0] === submission && line.dword > first && line.dword <= current[1];
          const go = stop !== undefined && make("button", { type: "button", class: "stop", onclick: () => void this.go(stop) }, `${this.noun} ${stop}`);
          return make(
            "div",
            { class: `row said${isCurrent ? " current" : ""}${belongs ? " linked" : ""}`, role: "listitem" },
            make("span", { class: "address" }, String(line.dword)),
            make("span", { class: "code" }, go, line.text, line.meaning !== "" && make("small", {}, line.meaning)),
          );
        }),
        more(part.behind),
      ].filter((row) => row !== false),
    );
    if (this.listed !== submission) this.list.scrollTop = 0;
    this.listed = submission;
    const row = this.list.querySelector<HTMLElement>(".current");
    if (row) this.list.scrollTop = row.offsetTop - this.list.clientHeight / 2;
  }

  // What a pixel of the surface holds, in words.
  private async held(x: number, y: number): Promise<string> {
    const at = Number(this.surface.value);
    const surface = this.surfaces[at];
    if (!surface || this.shown < 0) return "";
    const held = await this.hooks.client.call("tracePixel", at, x, y);
    return held.map((bits, channel) => `${surface.channels[channel] ?? ""} ${spell(bits, "float", "value")}`).join(", ");
  }

  // Says what the pixel under the pointer holds; while that is asked for, only the newest place matters.
  private async look(x: number, y: number) {
    this.looked = [x, this.row(y)];
    if (this.looking || this.going) return;
    this.looking = true;
    try {
      while (this.looked) {
        const [column, row]: [number, number] = this.looked;
        this.looked = null;
        const held = await this.held(column, row);
        if (held !== "") this.hooks.say(`(${column}, ${row}): ${held}`);
      }
    } catch {
      // The engine was ended; there is nothing to say then.
    } finally {
      this.looking = false;
    }
  }

  private async choose(x: number, y: number) {
    this.at = [x, this.row(y)];
    this.picture.point([x, y]);
    await this.hooks.work(() => this.history());
  }

  private idle() {
    const text =
      this.described.kind === "card"
        ? "Click a pixel of the picture: what draws did to it, from vertices to what was stored."
        : "Click a pixel of the picture: what it holds. Programs of the device draw no primitives, so it has no further history.";
    this.pixel.replaceChildren(make("p", { class: "story" }, text));
  }

  private async history() {
    if (!this.at) return;
    const [x, y] = this.at;
    await this.ready();
    const surface = this.surfaces[Number(this.surface.value)];
    const values = await this.held(x, y);
    const head = [make("h3", {}, `Pixel (${x}, ${y})`), make("p", {}, `${surface?.name ?? ""}: ${values || "it has no such pixel"}`)];
    if (this.described.kind === "device") return this.pixel.replaceChildren(...head);
    const done = await this.hooks.client.call("traceHistory", this.stop, x, y);
    const many = done.length === 0 ? "No draw" : done.length === 1 ? "1 draw" : `${done.length} draws`;
    this.pixel.replaceChildren(
      ...head,
      make("p", { class: "story" }, `${many} up to here covered it, each in its own colour buffers.`),
      ...done.map(({ draw, title, text }, at) =>
        make(
          "details",
          { open: at === done.length - 1, "data-draw": draw },
          make("summary", {}, title),
          make("div", { class: "line" }, make("button", { type: "button", onclick: () => void this.go(draw) }, `Go to draw ${draw}`)),
          make("pre", { tabindex: 0, "aria-label": `What draw ${draw} did` }, text),
        ),
      ),
    );
  }
}
