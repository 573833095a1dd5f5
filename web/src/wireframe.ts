// The wireframe that a pipeline draws.

import { colour, make } from "./dom";
import type { Frame } from "./protocol";

const SIDE = 1440;
const MARGIN = 24;

export class WireframeView {
  readonly element: HTMLElement;
  private canvas = make("canvas", { class: "lines", role: "img", "aria-label": "Wireframe of what the pipeline draws" });
  private legend = make("div", { class: "legend" });
  private frame: Frame | null = null;

  constructor() {
    this.element = make("div", { class: "picture" }, make("div", { class: "frame" }, this.canvas), this.legend);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  show(frame: Frame) {
    this.frame = frame;
    this.draw();
  }

  draw() {
    if (!this.frame) return;
    const { points, edges, primitives } = this.frame;
    const [low, high] = [[Infinity, Infinity, Infinity], [-Infinity, -Infinity, -Infinity]] as [number[], number[]];
    points.forEach((value, at) => {
      low[at % 3] = Math.min(low[at % 3] ?? 0, value);
      high[at % 3] = Math.max(high[at % 3] ?? 0, value);
    });
    const span = (axis: number) => (high[axis] ?? 0) - (low[axis] ?? 0);
    const scale = SIDE / Math.max(span(0), span(1), 1e-9);
    this.canvas.width = Math.max(1, span(0) * scale) + 2 * MARGIN;
    this.canvas.height = Math.max(1, span(1) * scale) + 2 * MARGIN;
    const context = this.canvas.getContext("2d");
    if (!context) return;
    context.strokeStyle = colour("--accent");
    context.lineWidth = 2;
    // What is near is drawn last and strongest; y goes up.
    const order = Array.from({ length: edges.length / 2 }, (_, edge) => edge);
    const depth = (edge: number) => (points[3 * (edges[2 * edge] ?? 0) + 2] ?? 0) + (points[3 * (edges[2 * edge + 1] ?? 0) + 2] ?? 0);
    order.sort((a, b) => depth(b) - depth(a));
    order.forEach((edge, rank) => {
      context.globalAlpha = 0.35 + 0.65 * (rank / Math.max(1, order.length - 1));
      context.beginPath();
      for (const end of [0, 1]) {
        const point = edges[2 * edge + end] ?? 0;
        const x = MARGIN + ((points[3 * point] ?? 0) - (low[0] ?? 0)) * scale;
        const y = MARGIN + ((high[1] ?? 0) - (points[3 * point + 1] ?? 0)) * scale;
        if (end === 0) context.moveTo(x, y);
        else context.lineTo(x, y);
      }
      context.stroke();
    });
    this.legend.replaceChildren(`${primitives.toLocaleString("en")} primitives, ${order.length.toLocaleString("en")} edges, ${(points.length / 3).toLocaleString("en")} points`);
  }
}
