// Elements, made and found.

type Child = Node | string | null | false;
type Attributes = Record<string, string | number | boolean | ((event: never) => void)>;

// An element with attributes, listeners (`onclick` and the like) and children.
export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false) element.setAttribute(name, String(value));
  }
  element.append(...children.filter((child): child is Node | string => child !== null && child !== false));
  return element;
}

export function find<E extends HTMLElement>(id: string): E {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element '${id}'`);
  return element as E;
}

// A colour of the style sheet for canvases, which take none that depends on light or dark.
export function colour(name: string): string {
  const probe = make("span", { hidden: true, style: `color: var(${name})` });
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

// Tabs as the ARIA practices have them: arrows move, one is selected.
export class Tabs<T extends string> {
  private buttons: HTMLButtonElement[] = [];

  constructor(
    private list: HTMLElement,
    private panel: string,
    private choose: (name: T) => void,
  ) {
    list.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      const at = this.buttons.findIndex((button) => button === document.activeElement);
      if (step === undefined || at < 0) return;
      const next = this.buttons[(at + step + this.buttons.length) % this.buttons.length];
      next?.focus();
      next?.click();
      event.preventDefault();
    });
  }

  set(names: [T, string][], selected: T) {
    this.buttons = names.map(([name, text]) =>
      make("button", { type: "button", role: "tab", "data-tab": name, "aria-controls": this.panel, onclick: () => this.select(name) }, text),
    );
    this.list.replaceChildren(...this.buttons);
    this.setSelected(selected);
  }

  select(name: T) {
    this.setSelected(name);
    this.choose(name);
  }

  // Gives those that it applies to a class, and takes it from the others.
  mark(name: string, applies: (name: T) => boolean) {
    for (const button of this.buttons) button.classList.toggle(name, applies(button.dataset.tab as T));
  }

  private setSelected(name: T) {
    for (const button of this.buttons) {
      const selected = button.dataset.tab === name;
      button.setAttribute("aria-selected", String(selected));
      button.tabIndex = selected ? 0 : -1;
    }
  }
}
