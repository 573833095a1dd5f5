// What a picture is made with: size, time, mouse, constants, uniforms, inputs.

import { make } from "./dom";
import type { PassState, State } from "./link";
import type { Examination, PatternName } from "./protocol";

interface Hooks {
  changed(): void;
  picture(input: number, file: File): void;
}

const SIDES = [64, 128, 192, 256, 384, 512];
const PATTERNS: [PatternName, string][] = [
  ["checker", "squares"],
  ["gradient", "gradient"],
  ["noise", "noise"],
  ["cells", "random cells"],
  ["picture", "a picture of mine"],
];
// In front of the names of buffers among those of patterns.
const BUFFER = "buffer:";
// Constants that are shown at once; the others are after a fold.
const SHOWN = 4;

export class Controls {
  readonly element = make("div", { class: "controls" });
  private time = make("input", { type: "range", min: 0, max: 10, step: 0.01, id: "time", "aria-label": "Time in seconds" });
  private clock = make("output", { class: "number" });
  private play = make("button", { type: "button", "aria-pressed": "false", onclick: () => this.toggle() }, "Play");
  private playing = 0;
  private shown = "";

  constructor(
    private state: () => State,
    // The text whose controls are shown, and the names of the buffers that its inputs can read.
    private pass: () => { of: PassState; buffers: string[] },
    private hooks: Hooks,
  ) {
    this.time.addEventListener("input", () => this.setTime(Number(this.time.value)));
  }

  get isPlaying(): boolean {
    return this.playing !== 0;
  }

  private setTime(seconds: number) {
    this.state().time.seconds = seconds;
    this.showTime();
    this.hooks.changed();
  }

  private showTime() {
    const { seconds } = this.state().time;
    this.time.value = String(seconds);
    this.clock.textContent = `${seconds.toFixed(2)} s`;
  }

  toggle(on = this.playing === 0) {
    cancelAnimationFrame(this.playing);
    this.playing = 0;
    if (on) {
      let last = performance.now();
      const tick = (now: number) => {
        const seconds = (this.state().time.seconds + (now - last) / 1000) % 10;
        last = now;
        this.setTime(seconds);
        this.playing = requestAnimationFrame(tick);
      };
      this.playing = requestAnimationFrame(tick);
    }
    this.play.textContent = on ? "Pause" : "Play";
    this.play.setAttribute("aria-pressed", String(on));
  }

  // Shows the controls that a program has. What is shown already stays, so that nobody loses the field in their hand.
  show(examined: Examination) {
    const state = this.state();
    const { of, buffers } = this.pass();
    const shape = JSON.stringify([examined.kind, examined.constants, examined.uniforms, examined.inputs, state.language, state.time.to, state.mouse.to, of.inputs, buffers]);
    this.showTime();
    if (shape === this.shown) return;
    this.shown = shape;
    if (examined.kind !== "picture") {
      this.element.replaceChildren(this.settings(examined));
      return;
    }
    const targets = [
      ...examined.constants.map((constant) => [`c${constant.number}`, `c${constant.number}`]),
      ...examined.uniforms.filter((uniform) => !uniform.known).map((uniform) => [uniform.name, uniform.name]),
    ] as [string, string][];
    const bound = (label: string, which: "time" | "mouse") =>
      select(label, [["", "nowhere"], ...targets], state[which].to, (to) => {
        state[which].to = to;
        this.show(examined);
        this.hooks.changed();
      });
    const sizes = SIDES.map((side) => [String(side), `${side} × ${side}`] as [string, string]);
    const moves = examined.uniforms.some((uniform) => uniform.known && /time$|frame$|date$/i.test(uniform.name));
    // Buffers go on with time, whatever reads it.
    const time = (state.time.to !== "" || moves || buffers.length > 0) && make("div", { class: "line" }, this.play, this.time, this.clock);
    this.element.replaceChildren(
      make(
        "div",
        { class: "line" },
        select("Size", sizes, String(state.size[0]), (side) => {
          state.size = [Number(side), Number(side)];
          this.hooks.changed();
        }),
        targets.length > 0 && bound("Time goes to", "time"),
        targets.length > 0 && bound("Mouse goes to", "mouse"),
      ),
      ...(time ? [time] : []),
      ...examined.inputs.map(({ number, name }) => this.input(number, name)),
      ...this.values(examined),
    );
  }

  private input(number: number, name: string | null): HTMLElement {
    const { of, buffers } = this.pass();
    const file = make("input", {
      type: "file",
      accept: "image/*",
      hidden: true,
      "aria-label": `Picture for input ${number}`,
      onchange: () => {
        const chosen = file.files?.[0];
        if (chosen) this.hooks.picture(number, chosen);
      },
    });
    const contents = [...PATTERNS, ...buffers.map((buffer) => [BUFFER + buffer, `buffer ${buffer}`] as [string, string])];
    const now = of.inputs[number] ?? "checker";
    const value = typeof now === "object" ? BUFFER + now.buffer : now;
    const choice = select(`Input ${number}${name ? `: ${name}` : ""}`, contents, value, (chosen) => {
      of.inputs[number] = chosen.startsWith(BUFFER) ? { buffer: chosen.slice(BUFFER.length) } : (chosen as PatternName);
      if (chosen === "picture") file.click();
      else this.hooks.changed();
    });
    return make("div", { class: "line" }, choice, file);
  }

  private values(examined: Examination): HTMLElement[] {
    const state = this.state();
    const isBound = (name: string) => name === state.time.to || name === state.mouse.to;
    const rows: HTMLElement[] = [];
    for (const { number, value } of examined.constants) {
      if (isBound(`c${number}`)) continue;
      const now = state.constants[number] ?? value;
      rows.push(fields(`c${number}`, now, ["r", "g", "b", "a"], (values) => {
        state.constants[number] = values;
        this.hooks.changed();
      }));
    }
    for (const uniform of examined.uniforms) {
      if (isBound(uniform.name) || uniform.known) continue;
      const count = uniform.columns * uniform.rows * uniform.elements;
      const given = state.uniforms[uniform.name] ?? uniform.default;
      const now = Array.from({ length: count }, (_, at) => given[at] ?? 0);
      rows.push(fields(uniform.name, now, count <= 4 ? ["x", "y", "z", "w"] : [], (values) => {
        state.uniforms[uniform.name] = values;
        this.hooks.changed();
      }));
    }
    const fold = rows.length > SHOWN && make("details", {}, make("summary", {}, `${rows.length - SHOWN} more`), ...rows.slice(SHOWN));
    return [...rows.slice(0, SHOWN), ...(fold ? [fold] : [])];
  }

  private settings(examined: Examination): HTMLElement {
    const state = this.state();
    const text = make("textarea", {
      rows: 4,
      spellcheck: "false",
      "aria-label": examined.kind === "compute" ? "Settings of the launch, as JSON" : "Settings of the draw, as JSON",
      oninput: () => {
        state.settings = text.value;
        this.hooks.changed();
      },
    });
    text.value = state.settings;
    return make("label", { class: "settings" }, examined.kind === "compute" ? "Launch" : "Draw", text);
  }
}

function select(label: string, options: [string, string][], value: string, choose: (value: string) => void): HTMLElement {
  const element = make("select", { onchange: () => choose(element.value) });
  for (const [name, text] of options) element.append(make("option", { value: name }, text));
  element.value = value;
  return make("label", {}, label, element);
}

// A row of numbers, each with a slider around its value.
function fields(name: string, values: number[], channels: string[], changed: (values: number[]) => void): HTMLElement {
  const now = [...values];
  const cells = now.map((value, at) => {
    const label = channels[at] ? `${name}.${channels[at]}` : `${name} ${at}`;
    const span = Math.max(1, 2 * Math.abs(value));
    const field = make("input", { type: "number", step: "any", value: Number(value.toPrecision(7)), "aria-label": label });
    const slider = make("input", { type: "range", min: value - span, max: value + span, step: span / 200, value, "aria-label": `${label}, slider`, tabindex: -1 });
    const set = (text: string) => {
      const next = Number(text);
      if (text === "" || !Number.isFinite(next)) return;
      now[at] = next;
      changed([...now]);
    };
    field.addEventListener("input", () => {
      slider.value = field.value;
      set(field.value);
    });
    slider.addEventListener("input", () => {
      field.value = String(Number(Number(slider.value).toPrecision(4)));
      set(field.value);
    });
    return make("span", { class: "cell" }, field, slider);
  });
  return make("div", { class: "values" }, make("span", { class: "name" }, name), make("span", { class: "cells" }, ...cells));
}
