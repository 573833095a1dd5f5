// Which invocation of which launch of a draw is to be followed.

import { make } from "./dom";
import type { LaunchOf } from "./protocol";

export class Invocations {
  readonly element: HTMLElement;
  private launch = make("select", { "aria-label": "Launch", onchange: () => this.limit() });
  private invocation = make("input", { type: "number", min: 0, value: 0, "aria-label": "Invocation" });
  private launches: LaunchOf[] = [];

  constructor(chosen: (launch: number, invocation: number) => void) {
    const form = make(
      "form",
      { class: "line" },
      make("label", {}, "Launch", this.launch),
      make("label", {}, "Invocation", this.invocation),
      make("button", { type: "submit" }, "Follow"),
    );
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      chosen(Number(this.launch.value), Number(this.invocation.value));
    });
    this.element = make("div", { class: "invocations" }, form);
  }

  show(launches: LaunchOf[], stages: string[]) {
    const before = this.launch.value;
    this.launches = launches;
    this.launch.replaceChildren(...launches.map(({ stage, invocations }, at) => make("option", { value: at }, `${at}: ${stages[stage] ?? ""}, ${invocations} invocations`)));
    this.launch.value = launches[Number(before)] ? before : "0";
    if (this.launch.value === "") this.launch.value = "0";
    this.limit();
  }

  // The form shows what is followed.
  set(launch: number, invocation: number) {
    this.launch.value = String(launch);
    this.limit();
    this.invocation.value = String(invocation);
  }

  private limit() {
    const most = (this.launches[Number(this.launch.value)]?.invocations ?? 1) - 1;
    this.invocation.max = String(most);
    this.invocation.value = String(Math.min(Number(this.invocation.value), most));
  }
}
