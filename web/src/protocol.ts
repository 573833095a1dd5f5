// What the page and the engine in its worker say to each other. The engine's side is crates/web.

export type LanguageId = "x1k" | "r700" | "sm50" | "glsl" | "wgsl" | "ps";
export type ProgramKind = "picture" | "compute" | "pipeline";
export type PatternName = "gradient" | "checker" | "noise" | "cells" | "picture";

// What an input holds.
export type InputContent = PatternName | { buffer: string };

// The text of a buffer, or of the picture.
export interface PassText {
  buffer: string | null;
  text: string;
}

export interface Language {
  id: LanguageId;
  name: string;
  comment: string;
  compiled: boolean;
}

export interface Example {
  name: string;
  title: string;
  language: LanguageId;
  text: string;
  time: string;
  size: [number, number];
  pattern: PatternName | "";
  settings: string;
}

export interface Word {
  name: string;
  kind: string;
  meaning: string;
}

export interface Problem {
  from: number;
  to: number;
  severity: "error" | "warning" | "info";
  code: string;
  message: string;
  help: string | null;
}

export interface ListedInstruction {
  address: string;
  text: string;
  line: number;
  stage: number;
}

export interface Constant {
  number: number;
  value: number[];
  given: boolean;
}

export interface Uniform {
  name: string;
  kind: "float" | "int" | "uint" | "bool";
  columns: number;
  rows: number;
  elements: number;
  default: number[];
  // Whether its name has a meaning, such as a time, so that nobody has to set it.
  known: boolean;
}

export interface Examination {
  runs: boolean;
  kind: ProgramKind;
  problems: Problem[];
  listing: ListedInstruction[];
  inputs: { number: number; name: string | null }[];
  outputs: number[];
  constants: Constant[];
  uniforms: Uniform[];
  // Whether row 0 is the lowest of the picture.
  bottom_up: boolean;
  stages: string[];
}

export interface Scene {
  width: number;
  height: number;
  constants: Record<number, number[]>;
  uniforms: Record<string, number[]>;
  // For uniforms that are called as a time or a mouse is.
  seconds: number;
  mouse: number[];
  inputs: Record<number, InputContent>;
  // The inputs of the buffers, in the order in which they run.
  buffers: Record<number, InputContent>[];
  // The buffer that is shown in place of the picture, by its place in that order.
  shown: number | null;
}

export interface RunCounts {
  instructions: { executions: number; lanes: number }[];
  lanes: Uint32Array;
}

export interface Brief {
  at: number | null;
  executes: boolean;
  closes: boolean;
  active: number;
  writes: string[];
}

export interface Timeline {
  lanes: number;
  steps: Brief[];
  total: number;
  trap: string | null;
}

export interface Channel {
  name: string;
  bits: number;
  kind: "float" | "integer" | "truth" | "word";
  changed: boolean;
  before: number;
  writer: number;
}

export interface Moment {
  step: number;
  at: number | null;
  absence: string;
  held: string;
  next: string;
  active: number;
  pass: number | null;
  registers: { name: string; channels: Channel[] }[];
  accesses: { write: boolean; place: string; at: number[]; kind: Channel["kind"]; bits: number[] }[];
  // What variables of a shader hold in front of the next instruction; null of other programs.
  variables: { name: string; values: { channel: string; kind: "float" | "truth" | "absent"; bits: number }[] }[] | null;
}

export interface Lane {
  i: number;
  j: number;
  runs: boolean;
  standing: string;
  executes: boolean;
}

// The lanes that run together, and the calls, loops and branches that are open.
export interface Group {
  lanes: Lane[];
  stack: string[];
}

// A stage of a pipeline that runs for a batch.
export interface LaunchOf {
  stage: number;
  invocations: number;
}

export interface Stage {
  name: string;
  text: string;
}

export interface Frame {
  points: Float64Array;
  edges: Uint32Array;
  primitives: number;
}

// A trace: submission and dword of each draw, or start of a program.
export interface TraceDescription {
  kind: "card" | "device";
  facts: [string, string][];
  stops: [number, number][];
  submissions: number;
  damage: string | null;
}

export interface TraceLines {
  before: number;
  lines: { dword: number; text: string; meaning: string }[];
  behind: number;
}

export interface TraceSurface {
  name: string;
  width: number;
  height: number;
  channels: string[];
  // Of depth buffers: what is black, and what is white.
  depths: [number, number] | null;
}

export interface PixelEffect {
  draw: number;
  title: string;
  text: string;
}

export type Opened = { language: LanguageId; text: string } | { trace: TraceDescription };

// What an engine has painted: bands from a row up to another one, their bytes, and whether an alpha that was 0 everywhere in them, or that the
// program does not have, is 255 there.
export interface PictureBands {
  rows: Uint32Array;
  bytes: Uint8Array;
  isOpaque: boolean;
}

export interface Painted {
  picture: Uint8Array;
  milliseconds: number;
}

// What the worker can be asked, by name.
export interface Requests {
  // `heat`: red, green and blue of the colours of heat maps, from the least to the most.
  start(): { languages: Language[]; examples: Example[]; heat: Uint8Array };
  completions(language: LanguageId): Word[];
  explain(language: LanguageId, word: string): string | null;
  open(name: string, bytes: Uint8Array): Opened;
  // The picture's text is the last one.
  examine(language: LanguageId, texts: PassText[]): Examination[];
  setPicture(buffer: string | null, input: number, width: number, height: number, bytes: Uint8Array): null;
  paint(scene: Scene, part: number, parts: number): PictureBands & { milliseconds: number };
  count(): RunCounts;
  countThreads(settings: string): RunCounts;
  launch(settings: string): Uint32Array;
  draw(settings: string): Frame;
  follow(x: number, y: number): Timeline;
  followThread(settings: string, thread: number): Timeline;
  launches(settings: string): LaunchOf[];
  followInvocation(settings: string, launch: number, invocation: number): Timeline;
  moment(step: number): Moment;
  group(step: number): Group;
  stages(): Stage[];
  traceLines(submission: number, dword: number): TraceLines;
  traceGo(stop: number): { surfaces: TraceSurface[]; warnings: string[] };
  tracePicture(surface: number): Uint8Array;
  tracePixel(surface: number, x: number, y: number): number[];
  traceHistory(stop: number, x: number, y: number): PixelEffect[];
}

export type Name = keyof Requests;

export interface Request {
  id: number;
  name: Name;
  args: unknown[];
}

export type Reply = { id: number; value: unknown } | { id: number; error: string; broken: boolean };
