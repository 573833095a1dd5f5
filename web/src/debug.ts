// The lane debugger: a timeline to go along in both directions, what the lane holds, and who wrote it.

import { colour, make } from "./dom";
import type { Listing } from "./listing";
import type { Brief, Channel, Group, Lane, Moment, Timeline } from "./protocol";
import { spell, type Form } from "./values";

interface Hooks {
  moment(step: number): Promise<Moment>;
  // The lanes of the group, none where they cannot be looked at together, and what is on its stack.
  group(step: number): Promise<Group>;
  // Another lane of the group is to be followed, up to the same step.
  other(lane: Lane, step: number): void;
  // The debugger stands at this instruction of the listing now.
  stands(at: number | null): void;
}

export class Debugger {
  readonly element = make("div", { class: "debug" });
  private title = make("h3");
  private slider = make("input", { type: "range", min: 0, max: 0, value: 0, "aria-label": "Step of the lane" });
  private strip = make("canvas", { class: "strip", height: 36, "aria-hidden": "true" });
  private where = make("output", { class: "where", "aria-live": "polite" });
  private instruction = make("pre", { class: "instruction" });
  private story = make("p", { class: "story" });
  private stack = make("p", { class: "stack" });
  private grid = make("div", { class: "lanes", role: "group", "aria-label": "Lanes of the group" });
  private own: [number, number] | null = null;
  private registers = make("table", { class: "registers" });
  private variables = make("table", { class: "registers variables", hidden: true });
  // What variables held where the debugger stood before.
  private held = new Map<string, number>();
  private timeline: Timeline = { lanes: 0, steps: [], total: 0, trap: null };
  private step = 0;
  private form: Form = "value";
  private watched: { register: string; channel: string } | null = null;
  private loading = false;
  private noun = "lane";
  private invitation = "";

  constructor(
    private listing: Listing,
    private hooks: Hooks,
  ) {
    const button = (text: string, label: string, key: string, act: () => void) =>
      make("button", { type: "button", "aria-label": label, title: `${label} (${key})`, "aria-keyshortcuts": key, onclick: act }, text);
    const forms = make("select", {
      "aria-label": "How values are written",
      onchange: (event: Event) => {
        this.form = (event.target as HTMLSelectElement).value as Form;
        void this.go(this.step);
      },
    });
    for (const [value, text] of [["value", "numbers"], ["hex", "bits"], ["integer", "integers"]]) forms.append(make("option", { value: value ?? "" }, text ?? ""));
    this.slider.addEventListener("input", () => void this.go(Number(this.slider.value)));
    this.strip.addEventListener("click", (event) => {
      const box = this.strip.getBoundingClientRect();
      void this.go(Math.round(((event.clientX - box.left) / box.width) * this.timeline.steps.length));
    });
    this.element.addEventListener("keydown", (event) => {
      if (event.target instanceof HTMLSelectElement) return;
      const act = { Home: () => this.go(0), End: () => this.go(Infinity), ",": () => this.go(this.step - 1), ".": () => this.go(this.step + 1), "[": () => this.sameInstruction(-1), "]": () => this.sameInstruction(1) }[event.key];
      if (!act) return;
      void act();
      event.preventDefault();
    });
    this.element.append(
      make("div", { class: "bar" }, this.title, forms),
      this.strip,
      this.slider,
      make(
        "div",
        { class: "steps", role: "toolbar", "aria-label": "Steps" },
        button("|◀", "First step", "Home", () => void this.go(0)),
        button("◀◀", "The same instruction before", "[", () => this.sameInstruction(-1)),
        button("◀", "Step back", ",", () => void this.go(this.step - 1)),
        button("▶", "Step forward", ".", () => void this.go(this.step + 1)),
        button("▶▶", "The same instruction again", "]", () => this.sameInstruction(1)),
        button("▶|", "Last step", "End", () => void this.go(Infinity)),
        this.where,
      ),
      this.instruction,
      this.story,
      this.stack,
      make("div", { class: "state" }, this.variables, this.registers, this.grid),
    );
    this.idle();
  }

  private idle() {
    this.title.textContent = "Nothing is followed";
    this.story.textContent = this.invitation;
  }

  // How a lane is chosen.
  invite(text: string) {
    this.invitation = text;
    if (!this.live) this.idle();
  }

  // `noun` is what lanes are called.
  show(title: string, noun: string, timeline: Timeline, own: [number, number], step = Infinity) {
    this.noun = noun;
    this.timeline = timeline;
    this.own = own;
    this.title.textContent = title;
    this.slider.max = String(timeline.steps.length);
    this.watched = null;
    this.held.clear();
    this.element.classList.add("live");
    this.drawStrip();
    void this.go(step);
  }

  clear() {
    this.timeline = { lanes: 0, steps: [], total: 0, trap: null };
    this.element.classList.remove("live");
    this.registers.replaceChildren();
    this.drawVariables(null);
    this.grid.replaceChildren();
    this.drawStack([]);
    this.instruction.textContent = "";
    this.where.textContent = "";
    this.idle();
  }

  get live(): boolean {
    return this.timeline.steps.length > 0;
  }

  private brief(step: number): Brief | undefined {
    return this.timeline.steps[step - 1];
  }

  private sameInstruction(by: number) {
    const at = this.brief(this.step)?.at;
    for (let step = this.step + by; step > 0 && step <= this.timeline.steps.length; step += by) {
      if (this.brief(step)?.at === at) return void this.go(step);
    }
  }

  async go(step: number) {
    if (!this.live) return;
    this.step = Math.max(0, Math.min(this.timeline.steps.length, step));
    this.slider.value = String(this.step);
    // While the slider moves, only the newest place matters.
    if (this.loading) return;
    this.loading = true;
    try {
      let shown = -1;
      while (shown !== this.step) {
        shown = this.step;
        const [moment, group] = await Promise.all([this.hooks.moment(shown), this.hooks.group(shown)]);
        this.draw(moment);
        this.drawGrid(group.lanes);
        this.drawStack(group.stack);
      }
    } finally {
      this.loading = false;
    }
  }

  private draw(moment: Moment) {
    const { steps, lanes, total, trap } = this.timeline;
    const more = total > steps.length ? ` of ${total.toLocaleString("en")}, of which the first are kept` : "";
    this.where.textContent = `step ${moment.step} of ${steps.length}${more} · ${moment.active} of ${lanes} lanes active${moment.pass ? ` · pass ${moment.pass}` : ""}`;
    this.slider.setAttribute("aria-valuetext", this.where.textContent);
    const listed = this.listing.at(moment.at);
    this.instruction.textContent = moment.step === 0 ? "start" : listed ? `${listed.address}  ${listed.text}` : "";
    this.hooks.stands(moment.at);
    const said = [
      moment.absence && `This lane ${moment.absence}.`,
      moment.held && `A predicate holds ${moment.held} back.`,
      moment.next && `The group: ${moment.next}.`,
      ...moment.accesses.map(({ write, place, at, kind, bits }) => {
        const where = at.length > 0 ? ` at (${at.map((one) => spell(one, "word", this.form)).join(", ")})` : "";
        return `${write ? "Writes" : "Reads"} ${place}${where}: ${bits.map((one) => spell(one, kind, this.form)).join(", ")}.`;
      }),
      moment.step === steps.length && trap && `Trap: ${trap}.`,
    ];
    this.story.textContent = said.filter(Boolean).join(" ");
    this.drawVariables(moment.variables);
    this.registers.replaceChildren(this.head(), ...moment.registers.map((register) => this.row(register.name, register.channels, moment.step)));
  }

  // Variables of the source; those that the last movement has changed are marked.
  private drawVariables(variables: Moment["variables"]) {
    this.variables.hidden = variables === null;
    const before = this.held;
    this.held = new Map();
    const row = ({ name, values }: NonNullable<Moment["variables"]>[number]) => {
      const cells = values.map(({ channel, kind, bits }) => {
        const full = channel ? `${name}.${channel}` : name;
        if (kind === "absent") return make("td", { class: "absent", title: `The program does not have ${full} here` }, "?");
        const changed = before.size > 0 && before.get(full) !== bits;
        this.held.set(full, bits);
        const text = spell(bits, kind, this.form);
        return make("td", { class: changed ? "changed" : "", "data-variable": full }, make("span", { class: "value" }, channel ? make("i", {}, channel) : null, channel ? " " : null, text));
      });
      return make("tr", {}, make("th", { scope: "row" }, name), ...cells);
    };
    const caption = variables?.length === 0 ? "Variables: none is known in front of the next instruction" : "Variables of the shader, in front of the next instruction";
    this.variables.replaceChildren(make("caption", {}, caption), ...(variables ?? []).map(row));
  }

  private drawGrid(group: Lane[]) {
    // Threads and invocations are one row, of which some stand below each other.
    const isLine = new Set(group.map((lane) => lane.j)).size === 1;
    const columns = Math.min(new Set(group.map((lane) => lane.i)).size, isLine ? 8 : Infinity);
    this.grid.style.gridTemplateColumns = `repeat(${columns}, 18px)`;
    const sorted = [...group].sort((a, b) => a.j - b.j || a.i - b.i);
    this.grid.replaceChildren(
      ...sorted.map((lane) => {
        const own = this.own?.[0] === lane.i && this.own[1] === lane.j;
        const does = !lane.runs ? "does not run" : lane.executes ? "executes this step" : lane.standing === "ended" ? "has ended" : lane.standing === "active" ? "skips this step" : "waits";
        const kind = !lane.runs ? "absent" : lane.executes ? "executes" : lane.standing === "ended" ? "ended" : "waits";
        const text = `${this.noun} ${isLine ? lane.i : `(${lane.i}, ${lane.j})`} ${does}`;
        return make("button", { type: "button", class: `lane ${kind}${own ? " own" : ""}`, title: text, "aria-label": text, tabindex: own ? 0 : -1, onclick: () => this.hooks.other(lane, this.step) });
      }),
    );
  }

  // Calls, loops and branches that the group is in, the outermost first.
  private drawStack(frames: string[]) {
    this.stack.hidden = frames.length === 0;
    this.stack.textContent = `On the stack: ${frames.join(" › ")}`;
  }

  private head(): HTMLElement {
    return make("caption", {}, "What the lane holds; a value leads to the step that wrote it");
  }

  private row(name: string, channels: Channel[], step: number): HTMLElement {
    const cells = channels.map((channel) => {
      const text = spell(channel.bits, channel.kind, this.form);
      const full = channel.name ? `${name}.${channel.name}` : name;
      const origin = channel.writer === 0 ? "from the start" : `written by step ${channel.writer}`;
      const before = channel.changed ? `, before: ${spell(channel.before, channel.kind, this.form)}` : "";
      const value = make(
        "button",
        {
          type: "button",
          class: "value",
          title: `${full} ${origin}${before}`,
          "aria-label": `${full} ${text}, ${origin}${before}: go there`,
          "data-cell": full,
          "data-writer": channel.writer,
          onclick: () => {
            this.watched = { register: name, channel: channel.name };
            void this.go(channel.writer);
          },
        },
        channel.name ? make("i", {}, channel.name) : null,
        channel.name ? " " : null,
        text,
      );
      const watched = this.watched?.register === name && this.watched.channel === channel.name;
      return make("td", { class: `${channel.changed ? "changed " : ""}${watched ? "watched" : ""}` }, value);
    });
    const last = Math.max(...channels.map((channel) => channel.writer));
    return make("tr", { class: last === step && step > 0 ? "touched" : "" }, make("th", { scope: "row" }, name), ...cells);
  }

  // After a change of colours.
  redraw() {
    this.drawStrip();
  }

  // How many lanes are active over time, and where this one executes.
  private drawStrip() {
    const { steps, lanes } = this.timeline;
    const width = Math.max(1, Math.min(steps.length, 1200));
    this.strip.width = width;
    const context = this.strip.getContext("2d");
    if (!context) return;
    const [strong, weak] = [colour("--accent"), colour("--line")];
    const height = this.strip.height;
    for (let x = 0; x < width; x++) {
      const brief = steps[Math.floor((x * steps.length) / width)];
      if (!brief) continue;
      const tall = Math.max(1, Math.round((brief.active / Math.max(1, lanes)) * height));
      context.fillStyle = brief.executes ? strong : weak;
      context.fillRect(x, height - tall, 1, tall);
    }
  }
}
