// The machine code, with how often each instruction executed.

import { make } from "./dom";
import type { RunCounts, ListedInstruction } from "./protocol";

export class Listing {
  readonly element = make("div", { class: "listing", role: "list", "aria-label": "Machine code" });
  private rows: HTMLElement[] = [];
  private listing: ListedInstruction[] = [];
  private current = -1;
  private line = 0;

  constructor(private chosen: (line: number) => void) {}

  // A listing that is shown already keeps its counts until there are others.
  show(listing: ListedInstruction[], stages: string[]) {
    if (JSON.stringify(listing) === JSON.stringify(this.listing)) return;
    this.listing = listing;
    this.current = -1;
    let stage = -1;
    this.rows = [];
    this.element.replaceChildren();
    listing.forEach((listed) => {
      if (listed.stage !== stage && stages.length > 1) {
        this.element.append(make("h3", {}, stages[listed.stage] ?? ""));
      }
      stage = listed.stage;
      const text = make("span", { class: "code" }, listed.text.replace(/\n\s*/g, "\n"));
      const row = make(
        "div",
        { class: "row", role: "listitem", tabindex: -1, onclick: () => listed.line > 0 && this.chosen(listed.line) },
        make("span", { class: "address" }, listed.address),
        make("span", { class: "count" }),
        make("span", { class: "bar-of-count", "aria-hidden": "true" }, make("span", { class: "share" })),
        text,
      );
      this.rows.push(row);
      this.element.append(row);
    });
    this.markLine(this.line);
  }

  setCounts(counted: RunCounts) {
    const most = Math.max(1, ...counted.instructions.map((executed) => executed.lanes));
    const total = Math.max(1, counted.instructions.reduce((sum, executed) => sum + executed.lanes, 0));
    this.rows.forEach((row, at) => {
      const executed = counted.instructions[at];
      const count = row.querySelector<HTMLElement>(".count");
      const share = row.querySelector<HTMLElement>(".share");
      if (!count || !share) return;
      count.textContent = executed ? compact(executed.lanes) : "";
      row.title = executed
        ? `${executed.lanes.toLocaleString("en")} lanes in ${executed.executions.toLocaleString("en")} executions by groups: ${((100 * executed.lanes) / total).toFixed(1)} % of all`
        : "";
      row.classList.toggle("never", executed?.lanes === 0);
      share.style.width = executed ? `${(100 * executed.lanes) / most}%` : "0";
    });
  }

  // The instructions of a line of the source.
  markLine(line: number) {
    this.line = line;
    this.rows.forEach((row, at) => row.classList.toggle("linked", line > 0 && this.listing[at]?.line === line));
  }

  // The instruction that the debugger stands at.
  markCurrent(at: number | null) {
    this.rows[this.current]?.classList.remove("current");
    this.current = at ?? -1;
    const row = this.rows[this.current];
    row?.classList.add("current");
    if (row && this.element.isConnected) row.scrollIntoView({ block: "nearest" });
  }

  scrollToLinked() {
    this.rows.find((row) => row.classList.contains("linked"))?.scrollIntoView({ block: "nearest" });
  }

  at(index: number | null): ListedInstruction | undefined {
    return index === null ? undefined : this.listing[index];
  }
}

export function compact(count: number): string {
  if (count < 10_000) return String(count);
  return new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 }).format(count);
}
