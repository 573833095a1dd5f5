// The picture of a run, what its lanes executed, and the cross on a lane.

import { make } from "./dom";

export type View = "picture" | "heat" | "divergence";

const LABEL = "Picture. Click a pixel, or move with the arrow keys and press Enter, to look at its lane.";

// Lanes of a group, along each side: those that the debugger runs together.
const TILE = 8;

// Of each lane, the share of its group's instructions for which it was inactive: 1 less its own count by the greatest of its group.
export function divergence(lanes: Uint32Array, width: number, height: number): Float64Array {
  const idle = new Float64Array(lanes.length);
  for (let y0 = 0; y0 < height; y0 += TILE) {
    for (let x0 = 0; x0 < width; x0 += TILE) {
      const [x1, y1] = [Math.min(x0 + TILE, width), Math.min(y0 + TILE, height)];
      let most = 1;
      for (let y = y0; y < y1; y++) for (let x = x0; x < x1; x++) most = Math.max(most, lanes[y * width + x] ?? 0);
      for (let y = y0; y < y1; y++) for (let x = x0; x < x1; x++) idle[y * width + x] = 1 - (lanes[y * width + x] ?? 0) / most;
    }
  }
  return idle;
}

export class Picture {
  readonly element: HTMLElement;
  private canvas = make("canvas", { tabindex: 0, role: "img" });
  private cross = make("div", { class: "cross", hidden: true });
  private legend = make("div", { class: "legend" });
  private cursor: [number, number] = [0, 0];
  private pixels: Uint8Array = new Uint8Array();
  private lanes: Uint32Array = new Uint32Array();
  private size: [number, number] = [1, 1];
  // Whether row 0 is the lowest.
  private bottomUp = false;
  view: View = "picture";
  // Red, green and blue of the colours from the least to the most.
  heat: Uint8Array = new Uint8Array(3);

  constructor(chosen: (x: number, y: number) => void, moved: (x: number, y: number, pressed: boolean) => void, label = LABEL) {
    this.canvas.setAttribute("aria-label", label);
    this.element = make("div", { class: "picture" }, make("div", { class: "frame" }, this.canvas, this.cross), this.legend);
    const place = (event: PointerEvent | MouseEvent): [number, number] => {
      const box = this.canvas.getBoundingClientRect();
      const along = (at: number, length: number, count: number) => Math.max(0, Math.min(count - 1, Math.floor((at / length) * count)));
      const row = along(event.clientY - box.top, box.height, this.size[1]);
      return [along(event.clientX - box.left, box.width, this.size[0]), this.bottomUp ? this.size[1] - 1 - row : row];
    };
    // Clicks come with whole coordinates, presses with parts of pixels.
    let pressed: [number, number] | null = null;
    this.canvas.addEventListener("pointerdown", (event) => (pressed = place(event)));
    this.canvas.addEventListener("click", (event) => {
      chosen(...(pressed ?? place(event)));
      pressed = null;
    });
    this.canvas.addEventListener("pointermove", (event) => moved(...place(event), event.buttons !== 0));
    this.canvas.addEventListener("keydown", (event) => {
      const step = event.shiftKey ? TILE : 1;
      const by = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
      if (by) {
        const [x, y] = this.cursor;
        const down = this.bottomUp ? -step : step;
        this.point([x + (by[0] ?? 0) * step, y + (by[1] ?? 0) * down]);
        moved(...this.cursor, false);
        event.preventDefault();
      } else if (event.key === "Enter" || event.key === " ") {
        chosen(...this.cursor);
        event.preventDefault();
      }
    });
  }

  show(pixels: Uint8Array, width: number, height: number) {
    this.pixels = pixels;
    if (this.size[0] !== width || this.size[1] !== height) this.lanes = new Uint32Array();
    this.size = [width, height];
    this.draw();
  }

  setLanes(lanes: Uint32Array) {
    this.lanes = lanes;
    if (this.view !== "picture") this.draw();
  }

  setView(view: View) {
    this.view = view;
    this.draw();
  }

  point(at: [number, number] | null) {
    this.cross.hidden = at === null;
    if (!at) {
      this.cursor = [0, 0];
      return;
    }
    const [width, height] = this.size;
    this.cursor = [Math.max(0, Math.min(width - 1, at[0])), Math.max(0, Math.min(height - 1, at[1]))];
    this.cross.style.left = `${((this.cursor[0] + 0.5) / width) * 100}%`;
    const row = this.bottomUp ? height - 1 - this.cursor[1] : this.cursor[1];
    this.cross.style.top = `${((row + 0.5) / height) * 100}%`;
  }

  setBottomUp(bottomUp: boolean) {
    this.bottomUp = bottomUp;
    this.canvas.style.transform = bottomUp ? "scaleY(-1)" : "";
  }

  private draw() {
    const [width, height] = this.size;
    this.canvas.width = width;
    this.canvas.height = height;
    const context = this.canvas.getContext("2d");
    if (!context || this.pixels.length !== 4 * width * height) return;
    const image = new ImageData(width, height);
    const hasLanes = this.lanes.length === width * height;
    if (this.view === "picture" || !hasLanes) {
      image.data.set(this.pixels);
      this.legend.replaceChildren(this.view === "picture" ? "" : "counting …");
    } else {
      const values = this.view === "heat" ? Float64Array.from(this.lanes) : divergence(this.lanes, width, height);
      const most = values.reduce((most, value) => Math.max(most, value), this.view === "heat" ? 1 : 0.01);
      values.forEach((value, at) => {
        image.data.set(this.colour(value / most), 4 * at);
        image.data[4 * at + 3] = 255;
      });
      this.explain(most);
    }
    context.putImageData(image, 0, 0);
  }

  // The colour of a share of the most, from 0 to 1.
  private colour(share: number): Uint8Array {
    const at = 3 * Math.round(share * (this.heat.length / 3 - 1));
    return this.heat.subarray(at, at + 3);
  }

  private explain(most: number) {
    const text = (value: number) => (this.view === "heat" ? value.toLocaleString("en") : `${Math.round(100 * value)} %`);
    const what = this.view === "heat" ? "instructions of each lane" : `of the instructions of its ${TILE}×${TILE} group, for which each lane was inactive`;
    // Between these the colours are on straight lines.
    const stops = [0, 1 / 3, 2 / 3, 1].map((share) => `rgb(${this.colour(share).join(" ")})`).join(", ");
    const bar = make("span", { class: "ramp" });
    bar.style.background = `linear-gradient(to right, ${stops})`;
    this.legend.replaceChildren(text(0), bar, text(most), make("span", { class: "what" }, what));
  }

  // The bytes of the pixel, as the canvas shows them.
  shown(x: number, y: number): number[] {
    return [...this.pixels.slice(4 * (y * this.size[0] + x), 4 * (y * this.size[0] + x) + 4)];
  }

  executed(x: number, y: number): number | null {
    return this.lanes.length === this.size[0] * this.size[1] ? (this.lanes[y * this.size[0] + x] ?? null) : null;
  }
}
