// The page's end of the engines: one that answers everything, and others that paint parts of pictures beside it.

import { join } from "./parts";
import type { Examination, LanguageId, Name, Painted, PassText, Reply, Request, Requests, Scene } from "./protocol";

export class Stopped extends Error {}

type Waiting = { resolve: (value: unknown) => void; reject: (error: Error) => void };

// Engines at most, and rows that each of them has at least.
const MOST = 8;
const ROWS = 32;

// A panic ends the instance of WebAssembly that it happens in, and another one takes its place.
const failed = (error: string) => `the engine failed on this text and was started again; change the text, and please report it (${error})`;

// An engine in its worker.
class Engine {
  private worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "engine" });
  private waiting = new Map<number, Waiting>();
  private last = 0;

  // `onBreak` is called when the engine cannot go on.
  constructor(onBreak: () => void) {
    this.worker.onmessage = ({ data }: MessageEvent<Reply>) => {
      const waiting = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      if ("error" in data) {
        waiting?.reject(new Error(data.broken ? failed(data.error) : data.error));
        if (data.broken) onBreak();
      } else {
        waiting?.resolve(data.value);
      }
    };
    this.worker.onerror = (event) => this.reject(new Error(`the engine does not start: ${event.message}`));
  }

  call<N extends Name>(name: N, ...args: Parameters<Requests[N]>): Promise<ReturnType<Requests[N]>> {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.worker.postMessage({ id, name, args } satisfies Request);
    });
  }

  // As `call`, for answers that nobody needs: what is wrong with a request shows in the one that the first engine answers.
  tell<N extends Name>(name: N, ...args: Parameters<Requests[N]>) {
    this.call(name, ...args).catch(() => {});
  }

  end() {
    this.worker.terminate();
    // What it still has to say is about requests that nobody waits for, and may not end those that come after it.
    this.worker.onmessage = null;
    this.reject(new Stopped("stopped"));
  }

  private reject(error: Error) {
    for (const { reject } of this.waiting.values()) reject(error);
    this.waiting.clear();
  }
}

export class Client {
  private first = this.start();
  private others: Engine[] = [];
  // What all engines must know before they paint.
  private texts: [LanguageId, PassText[]] | null = null;
  private pictures = new Map<string, Parameters<Requests["setPicture"]>>();

  // `onRestart` is called when new engines have taken the place of those that were stopped or broke.
  constructor(private onRestart: () => void) {}

  private start(): Engine {
    return new Engine(() => this.stop());
  }

  call<N extends Name>(name: N, ...args: Parameters<Requests[N]>): Promise<ReturnType<Requests[N]>> {
    return this.first.call(name, ...args);
  }

  examine(language: LanguageId, texts: PassText[]): Promise<Examination[]> {
    this.texts = [language, texts];
    if (texts.length === 1) for (const other of this.others) other.tell("examine", language, texts);
    return this.first.call("examine", language, texts);
  }

  async setPicture(...picture: Parameters<Requests["setPicture"]>) {
    this.pictures.set(`${picture[0] ?? ""} ${picture[1]}`, picture);
    for (const other of this.others) other.tell("setPicture", ...picture);
    await this.first.call("setPicture", ...picture);
  }

  // Paints with all engines. The first picture starts the others. Buffers go from frame to frame in one engine, which paints all of the picture.
  async paint(scene: Scene): Promise<Painted> {
    const isAlone = scene.buffers.length > 0;
    const count = isAlone ? 1 : Math.max(1, Math.min(1 + this.others.length, Math.floor(scene.height / ROWS)));
    const engines = [this.first, ...this.others].slice(0, count);
    const parts = await Promise.all(engines.map((engine, part) => engine.call("paint", scene, part, count)));
    if (this.others.length === 0 && !isAlone) this.startOthers();
    return { picture: join(parts, scene.width, scene.height), milliseconds: Math.max(...parts.map(({ milliseconds }) => milliseconds)) };
  }

  private startOthers() {
    const count = Math.min(navigator.hardwareConcurrency || 1, MOST) - 1;
    this.others = Array.from({ length: count }, () => this.start());
    for (const other of this.others) {
      if (this.texts) other.tell("examine", ...this.texts);
      for (const picture of this.pictures.values()) other.tell("setPicture", ...picture);
    }
  }

  // Ends whatever runs. New engines start from nothing but the pictures that inputs were given.
  stop() {
    for (const engine of [this.first, ...this.others]) engine.end();
    this.first = this.start();
    this.others = [];
    for (const picture of this.pictures.values()) this.first.tell("setPicture", ...picture);
    this.onRestart();
  }
}
