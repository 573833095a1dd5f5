// The texts of a program: that of the picture, and those of the buffers that are made before it, each with a tab.

import { make, Tabs } from "./dom";
import { type BufferState, type PassState, PICTURE, type State } from "./link";
import type { Examination, InputContent, PassText } from "./protocol";

// Buffers at most, named by letters.
const MOST = 4;

interface Hooks {
  // Another text is looked at.
  chosen(name: string): void;
  // There is another buffer, or one less.
  changed(): void;
}

export class Passes {
  // The name of the buffer that is looked at, or that of the picture.
  shown = PICTURE;
  private list = make("div", { role: "tablist", "aria-label": "Texts of the program" });
  private tabs = new Tabs<string>(this.list, "editor", (name) => this.choose(name));
  private add = make("button", { type: "button", title: "A buffer is a picture that another shader makes before this one, and that inputs can read", onclick: () => this.addBuffer() }, "Add a buffer");
  private remove = make("button", { type: "button", onclick: () => this.removeBuffer() });

  constructor(
    private element: HTMLElement,
    private state: () => State,
    // Whether the language has buffers.
    private has: () => boolean,
    private hooks: Hooks,
  ) {
    element.append(this.list, this.remove, this.add);
  }

  get buffers(): BufferState[] {
    return this.has() ? this.state().buffers : [];
  }

  // The text that is looked at, with its inputs.
  get current(): PassState {
    return this.buffers.find(({ name }) => name === this.shown) ?? this.state();
  }

  // The place of the text that is looked at, in the order in which they run.
  get place(): number {
    const at = this.buffers.findIndex(({ name }) => name === this.shown);
    return at < 0 ? this.buffers.length : at;
  }

  // All texts in the order in which they run.
  get texts(): PassText[] {
    const buffers = this.buffers.map(({ name, text }) => ({ buffer: name, text }));
    return [...buffers, { buffer: null, text: this.state().text }];
  }

  // Shows the tabs of a state, of which the picture's is looked at unless the one that is has a text.
  show() {
    const { buffers } = this;
    this.element.hidden = !this.has();
    if (!buffers.some(({ name }) => name === this.shown)) this.shown = PICTURE;
    const names = buffers.map(({ name }): [string, string] => [name, name]);
    this.tabs.set(names.length > 0 ? [[PICTURE, "Image"], ...names] : [], this.shown);
    this.showActions();
  }

  private showActions() {
    this.add.hidden = this.buffers.length >= MOST;
    this.remove.hidden = this.shown === PICTURE;
    this.remove.textContent = `Remove ${this.shown}`;
  }

  // Marks the tabs of texts that are no programs.
  mark(examined: Examination[]) {
    const wrong = this.texts.filter((_, at) => examined[at]?.runs === false).map(({ buffer }) => buffer ?? PICTURE);
    this.tabs.mark("wrong", (name) => wrong.includes(name));
  }

  private choose(name: string) {
    if (name === this.shown) return;
    this.shown = name;
    this.showActions();
    this.hooks.chosen(name);
  }

  private addBuffer() {
    const { buffers, text } = this.state();
    const free = Array.from({ length: MOST }, (_, at) => String.fromCharCode(65 + at)).find((name) => !buffers.some((buffer) => buffer.name === name));
    if (!free) return;
    const inputs: Record<number, InputContent> = {};
    buffers.push({ name: free, text: EMPTY[this.state().language] ?? text, inputs });
    buffers.sort((a, b) => (a.name < b.name ? -1 : 1));
    this.shown = free;
    this.show();
    this.hooks.changed();
  }

  private removeBuffer() {
    const state = this.state();
    const gone = this.shown;
    state.buffers = state.buffers.filter(({ name }) => name !== gone);
    for (const { inputs } of [state, ...state.buffers]) {
      for (const [input, content] of Object.entries(inputs)) if (typeof content === "object" && content.buffer === gone) delete inputs[Number(input)];
    }
    this.shown = PICTURE;
    this.show();
    this.hooks.changed();
  }
}

// What a buffer begins with.
const EMPTY: Partial<Record<State["language"], string>> = {
  glsl: "void mainImage(out vec4 fragColor, in vec2 fragCoord) {\n    fragColor = vec4(fragCoord / iResolution.xy, 0.0, 1.0);\n}\n",
  wgsl: "@fragment fn main(@builtin(position) place: vec4f) -> @location(0) vec4f {\n    return vec4f(fract(place.xy / 64.0), 0.0, 1.0);\n}\n",
  ps: "ps_3_0\ndcl_texcoord0 v0.xy\nmov oC0, v0.xyyy\n",
};
