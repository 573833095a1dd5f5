// Highlighting: one small tokeniser for all languages of the page.

import { HighlightStyle, StreamLanguage, type StringStream } from "@codemirror/language";
import { tags } from "@lezer/highlight";
import type { LanguageId } from "./protocol";

interface Style {
  comment: string;
  keyword: RegExp;
  register: RegExp;
}

const SHADER =
  /^(?:if|else|for|while|do|switch|case|default|break|continue|return|discard|struct|fn|let|var|const|loop|uniform|in|out|inout|precision|varying|attribute|layout|void|bool|int|uint|float|vec[234]|[iu]?vec[234][fui]?|mat[234](?:x[234])?f?|sampler\w+|texture_\w+|f32|i32|u32|array|true|false|highp|mediump|lowp)$/;

const STYLES: Record<LanguageId, Style> = {
  x1k: { comment: "--", keyword: /^[A-Z][A-Z0-9_]{1,}$/, register: /^(?:temp|const|tex|out|src[0-2p]|aL|i|b)$/ },
  r700: { comment: ";", keyword: /^[A-Z][A-Z0-9_]{1,}$/, register: /^(?:R\d+|C\d+|KC\d+|PV|PS|T\d|PIX\d|POS\d|PARAM\d+)$/ },
  sm50: { comment: "//", keyword: /^[A-Z][A-Z0-9_.]{1,}$/, register: /^(?:R\d+|RZ|P\d|PT|SR_\w+|c|a)$/ },
  glsl: { comment: "//", keyword: SHADER, register: /^(?:gl_\w+|i(?:Time|Resolution|Mouse|Channel\d))$/ },
  wgsl: { comment: "//", keyword: SHADER, register: /^position$/ },
  ps: { comment: "//", keyword: /^(?:[a-z]{2,}[a-z0-9_]*|ps_[23]_[0x])$/, register: /^(?:[rvtcsib]\d+|oC\d|oDepth|vPos|vFace)$/ },
};

interface Position {
  block: boolean;
}

function token(style: Style, blocks: boolean, stream: StringStream, position: Position): string | null {
  if (position.block) {
    if (stream.skipTo("*/")) {
      stream.match("*/");
      position.block = false;
    } else stream.skipToEnd();
    return "comment";
  }
  if (stream.eatSpace()) return null;
  if (stream.match(style.comment)) {
    stream.skipToEnd();
    return "comment";
  }
  if (blocks && stream.match("/*")) {
    position.block = true;
    return "comment";
  }
  if (stream.match(/^"[^"]*"?/)) return "string";
  if (stream.match(/^[.#@][A-Za-z_]\w*/)) return "meta";
  if (stream.match(/^(?:0[xX][0-9a-fA-F]+|\d+\.?\d*(?:[eE][-+]?\d+)?)[fuh]?/)) return "number";
  const word = stream.match(/^[A-Za-z_]\w*/) as RegExpMatchArray | null;
  if (word) {
    if (stream.peek() === ":" && style.comment !== "--") return "labelName";
    if (style.register.test(word[0])) return "variableName.special";
    if (style.keyword.test(word[0])) return "keyword";
    return "variableName";
  }
  stream.next();
  return "operator";
}

export function language(id: LanguageId) {
  const style = STYLES[id];
  const blocks = id === "glsl" || id === "wgsl";
  return StreamLanguage.define<Position>({
    name: id,
    startState: () => ({ block: false }),
    token: (stream, position) => token(style, blocks, stream, position),
    languageData: { commentTokens: { line: style.comment } },
  });
}

// Colours are variables of the style sheet, which has them for light and dark.
export const highlight = HighlightStyle.define([
  { tag: tags.comment, color: "var(--quiet)", fontStyle: "italic" },
  { tag: tags.keyword, color: "var(--code-keyword)", fontWeight: "600" },
  { tag: tags.number, color: "var(--code-number)" },
  { tag: tags.string, color: "var(--code-number)" },
  { tag: tags.meta, color: "var(--code-meta)" },
  { tag: tags.labelName, color: "var(--code-meta)", fontWeight: "600" },
  { tag: tags.special(tags.variableName), color: "var(--code-register)" },
  { tag: tags.operator, color: "var(--quiet)" },
]);
