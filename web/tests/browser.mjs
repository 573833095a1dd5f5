// Chromium with the built page in it, served from web/dist. Nothing but the page's own files may be asked for.

import { createServer } from "node:http";
import { readFile } from "node:fs/promises";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { chromium } from "playwright-core";

const DIST = fileURLToPath(new URL("../dist", import.meta.url));
const TYPES = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".wasm": "application/wasm" };

// `engines`: how many the page paints with, as if there were so many processors.
export async function open({ engines, ...options } = {}) {
  const server = createServer(async (request, response) => {
    const path = normalize(new URL(request.url, "http://page").pathname);
    try {
      const file = join(DIST, path === "/" ? "index.html" : path);
      const body = await readFile(file);
      response.writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" }).end(body);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-dev-shm-usage"],
  });
  const page = await browser.newPage({ viewport: { width: 1440, height: 900 }, colorScheme: "light", ...options });
  page.setDefaultTimeout(15_000);
  const [errors, foreign] = [[], []];
  page.on("pageerror", (error) => errors.push(error.message));
  page.on("console", (message) => message.type() === "error" && errors.push(message.text()));
  page.on("request", (request) => {
    if (!/^(blob|data):/.test(request.url()) && !request.url().startsWith(`${origin}/`)) foreign.push(request.url());
  });
  if (engines) await page.addInitScript((value) => Object.defineProperty(navigator, "hardwareConcurrency", { value }), engines);
  await page.goto(`${origin}/`);
  return {
    page,
    origin,
    errors,
    foreign,
    close: async () => {
      await browser.close();
      server.close();
    },
  };
}

// Waits until the page has painted what it is asked for and has counted its instructions.
export async function settled(page) {
  await page.evaluate(
    (patience) =>
      new Promise((resolve, reject) => {
        const { dataset } = document.body;
        const look = () => {
          if (dataset.painted === undefined || dataset.counted === undefined) return;
          clearTimeout(late);
          observer.disconnect();
          resolve();
        };
        const observer = new MutationObserver(look);
        const late = setTimeout(() => {
          observer.disconnect();
          reject(new Error(`not settled after ${patience} ms`));
        }, patience);
        // Looking in every frame, as Playwright would, makes frames: work that competes with what is measured.
        observer.observe(document.body, { attributes: true });
        look();
      }),
    30_000,
  );
  // Chromium drops what is clicked before the first paint of a document has been presented, which may be later than all of the above.
  await page.evaluate(
    () =>
      new Promise((resolve) => {
        const observer = new PerformanceObserver(() => {
          observer.disconnect();
          resolve();
        });
        observer.observe({ type: "paint", buffered: true });
      }),
  );
}

// Forgets what was painted and counted, for `settled`.
export async function unsettle(page) {
  await page.evaluate(() => {
    delete document.body.dataset.counted;
    delete document.body.dataset.painted;
  });
}

// The link of a state of the page.
export async function link(state) {
  const bytes = new TextEncoder().encode(JSON.stringify(state));
  const stream = new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  return `#${Buffer.from(await new Response(stream).arrayBuffer()).toString("base64url")}`;
}

// Opens a trace, and waits until its last draw is shown.
export async function openTrace(page, file) {
  await page.evaluate(() => delete document.body.dataset.traced);
  await page.setInputFiles("#file", file);
  await page.waitForFunction(() => document.body.dataset.traced !== undefined && document.querySelector(".row.said.current"));
}
