// Links that hold everything: the state of the page, compressed, after the '#'.

import type { InputContent, LanguageId } from "./protocol";

// The name that the picture's own text has among those of buffers.
export const PICTURE = "";

export interface PassState {
  text: string;
  inputs: Record<number, InputContent>;
}

export interface BufferState extends PassState {
  name: string;
}

export interface State extends PassState {
  language: LanguageId;
  // In the order in which they run before the picture.
  buffers: BufferState[];
  size: [number, number];
  // Values that somebody set, by number or name.
  constants: Record<number, number[]>;
  uniforms: Record<string, number[]>;
  // Where time and mouse go: a constant as 'c0', the name of a uniform, or nowhere.
  time: { to: string; seconds: number };
  mouse: { to: string; x: number; y: number };
  // Settings of a draw or of a launch, as JSON.
  settings: string;
}

export const FRESH: State = {
  language: "x1k",
  text: "",
  buffers: [],
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
    const buffers: unknown = state.buffers ?? [];
    const isBuffer = (one: BufferState | null) => typeof one?.name === "string" && typeof one.text === "string" && typeof one.inputs === "object";
    if (typeof state.text !== "string" || !Array.isArray(buffers) || !buffers.every(isBuffer)) return null;
    return { ...structuredClone(FRESH), ...state };
  } catch {
    return null;
  }
}
