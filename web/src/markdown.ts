// The little Markdown that reference pages are written in, as elements.

import { make } from "./dom";

function inline(text: string): Node[] {
  return text.split(/(`[^`]+`|\*\*[^*]+\*\*)/).filter((part) => part !== "").map((part) => {
    if (part.startsWith("`")) return make("code", {}, part.slice(1, -1));
    if (part.startsWith("**")) return make("strong", {}, part.slice(2, -2));
    return document.createTextNode(part.replace(/\[([^\]]+)\]\([^)]*\)/g, "$1"));
  });
}

export function markdown(text: string): HTMLElement {
  const page = make("div", { class: "page" });
  let paragraph: string[] = [];
  let list: HTMLUListElement | null = null;
  let code: string[] | null = null;
  const flush = () => {
    if (paragraph.length > 0) page.append(make("p", {}, ...inline(paragraph.join(" "))));
    paragraph = [];
  };
  for (const line of text.split("\n")) {
    if (line.startsWith("```")) {
      flush();
      if (code) page.append(make("pre", {}, code.join("\n")));
      code = code ? null : [];
    } else if (code) {
      code.push(line);
    } else if (line.startsWith("#")) {
      flush();
      list = null;
      page.append(make("h3", {}, ...inline(line.replace(/^#+\s*/, ""))));
    } else if (line.startsWith("- ")) {
      flush();
      if (!list) page.append((list = make("ul")));
      list.append(make("li", {}, ...inline(line.slice(2))));
    } else if (line.trim() === "") {
      flush();
      list = null;
    } else if (list && line.startsWith("  ")) {
      list.lastElementChild?.append(" ", ...inline(line.trim()));
    } else {
      paragraph.push(line.trim());
    }
  }
  flush();
  return page;
}
