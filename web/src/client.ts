// The page's end of the worker.

import type { Name, Reply, Request, Requests } from "./protocol";

export class Stopped extends Error {}

type Waiting = { resolve: (value: unknown) => void; reject: (error: Error) => void };

export class Client {
  private worker = Client.start();
  private waiting = new Map<number, Waiting>();
  private last = 0;

  // `onRestart` is called when a new engine has taken the place of one that was stopped or broke.
  constructor(private onRestart: () => void) {
    this.listen();
  }

  private static start(): Worker {
    return new Worker(new URL("./worker.ts", import.meta.url), { type: "module", name: "engine" });
  }

  private listen() {
    this.worker.onmessage = ({ data }: MessageEvent<Reply>) => {
      const waiting = this.waiting.get(data.id);
      this.waiting.delete(data.id);
      if ("error" in data) {
        waiting?.reject(new Error(data.broken ? `the engine broke: ${data.error}` : data.error));
        if (data.broken) this.stop();
      } else {
        waiting?.resolve(data.value);
      }
    };
    this.worker.onerror = (event) => {
      const error = new Error(`the engine does not start: ${event.message}`);
      for (const { reject } of this.waiting.values()) reject(error);
      this.waiting.clear();
    };
  }

  get busy(): boolean {
    return this.waiting.size > 0;
  }

  call<N extends Name>(name: N, ...args: Parameters<Requests[N]>): Promise<ReturnType<Requests[N]>> {
    const id = ++this.last;
    return new Promise((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as (value: unknown) => void, reject });
      this.worker.postMessage({ id, name, args } satisfies Request);
    });
  }

  // Ends whatever runs. A new engine starts from nothing.
  stop() {
    this.worker.terminate();
    for (const { reject } of this.waiting.values()) reject(new Stopped("stopped"));
    this.waiting.clear();
    this.worker = Client.start();
    this.listen();
    this.onRestart();
  }
}
