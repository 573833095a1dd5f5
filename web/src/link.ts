// Links that hold everything: the state of the page, compressed, after the '#'.

import type { LanguageId, PatternName } from "./protocol";

export interface State {
  language: LanguageId;
  text: string;
  size: [number, number];
  // Values that somebody set, by number or name.
  constants: Record<number, number[]>;
  uniforms: Record<string, number[]>;
  inputs: Record<number, PatternName>;
  // Where time and mouse go: a constant as 'c0', the name of a uniform, or nowhere.
  time: { to: string; seconds: number };
  mouse: { to: string; x: number; y: number };
  // Settings of a draw or of a launch, as JSON.
  settings: string;
}

export const FRESH: State = {
  language: "x1k",
  text: "",
  size: [256, 256],
  constants: {},
  uniforms: {},
  inputs: {},
  time: { to: "", seconds: 0 },
  mouse: { to: "", x: 0, y: 0 },
  settings: "",
};

async function through(bytes: Uint8Array<ArrayBuffer>, transform: CompressionStream | DecompressionStream) {
  const stream = new Blob([bytes]).stream().pipeThrough(transform);
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

export async function encode(state: State): Promise<string> {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  const packed = await through(bytes, new CompressionStream("deflate-raw"));
  const letters = Array.from(packed, (byte) => String.fromCharCode(byte)).join("");
  return btoa(letters).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

// The state of a link; null if there is none, or it is damaged.
export async function decode(hash: string): Promise<State | null> {
  const text = hash.replace(/^#/, "");
  if (text === "") return null;
  try {
    const letters = atob(text.replaceAll("-", "+").replaceAll("_", "/"));
    const packed = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
    const bytes = await through(packed, new DecompressionStream("deflate-raw"));
    const state = JSON.parse(new TextDecoder().decode(bytes));
    return typeof state.text === "string" ? { ...FRESH, ...state } : null;
  } catch {
    return null;
  }
}
