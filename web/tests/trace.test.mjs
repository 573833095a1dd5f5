// Traces of the device and of cards on the page.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { after, before, test } from "node:test";
import { open, openTrace, settled } from "./browser.mjs";

const card = (name) => fileURLToPath(new URL(`../../tests/card/${name}`, import.meta.url));
// Made by `cargo run -p ctm-web --example device_trace`.
const DEVICE = process.env.DEVICE_TRACE ?? fileURLToPath(new URL("device.ctmtrace", import.meta.url));

let browser;
before(async () => {
  browser = await open();
  await settled(browser.page);
});
after(() => browser.close());

const step = async (name) => {
  const before = await browser.page.locator("#stage .where").innerText();
  await browser.page.getByRole("button", { name, exact: true }).click();
  await browser.page.waitForFunction((before) => document.querySelector("#stage .where").textContent !== before, before);
};

// The greatest difference of a channel between the surface that is shown and a picture in a file.
const difference = (bytes) =>
  browser.page.evaluate(async (url) => {
    const image = new Image();
    image.src = url;
    await image.decode();
    const shown = document.querySelector("#stage canvas");
    if (image.width !== shown.width || image.height !== shown.height) return Infinity;
    const context = new OffscreenCanvas(image.width, image.height).getContext("2d");
    context.drawImage(image, 0, 0);
    const [a, b] = [context, shown.getContext("2d")].map((context) => context.getImageData(0, 0, image.width, image.height).data);
    return a.reduce((most, value, at) => Math.max(most, Math.abs(value - b[at])), 0);
  }, `data:image/png;base64,${bytes.toString("base64")}`);

test("the draws of a card leave what they left when they were recorded", async () => {
  const { page } = browser;
  for (const name of ["triangles", "texture", "depth", "lines", "wave"]) {
    await openTrace(page, card(`${name}.ctmcard`));
    assert.equal(await difference(await readFile(card(`${name}.png`))), 0, name);
  }
});

test("steps go through the draws in both directions, with the commands that belong to each", async () => {
  const { page } = browser;
  await openTrace(page, card("texture.ctmcard"));
  assert.match(await page.locator("#stage .where").innerText(), /^draw 8 of 0 to 8$/);
  const current = () => page.locator(".row.said.current .stop").innerText();
  assert.equal(await current(), "draw 8");
  await step("Back");
  assert.equal(await current(), "draw 7");
  await step("First");
  assert.match(await page.locator("#stage .where").innerText(), /^draw 0 /);
  assert.equal(await page.getByLabel("Submission", { exact: true }).inputValue(), "0");
  await page.keyboard.press(".");
  await page.waitForFunction(() => document.querySelector("#stage .where").textContent.startsWith("draw 1 "));
  await page.waitForFunction(() => document.querySelector(".row.said.current .stop")?.textContent === "draw 1");
  assert.match(await page.locator(".row.said.current small").innerText(), /draw/);
  await page.getByLabel("explained").uncheck();
  assert.equal(await page.locator(".row.said.current small").isVisible(), false);
  await page.getByLabel("explained").check();
});

test("a pixel of a card says which draws wrote it, and what they wrote", async () => {
  const { page } = browser;
  await openTrace(page, card("triangles.ctmcard"));
  await page.locator("#stage canvas").click();
  await page.waitForSelector(".trace-pixel details");
  const text = await page.locator(".trace-pixel").innerText();
  assert.match(text, /draws? up to here covered it/);
  assert.match(text, /colour buffer 0: 0x\w+ .* -> 0x\w+/);
  assert.match(text, /OUT .*\n.*out\[0\]/, "the instructions of its program");
  const draw = await page.locator(".trace-pixel details").first().getAttribute("data-draw");
  await page.locator(".trace-pixel summary").first().click();
  await page.getByRole("button", { name: `Go to draw ${draw}`, exact: true }).click();
  await page.waitForFunction((draw) => document.querySelector("#stage .where").textContent.startsWith(`draw ${draw} `), draw);
});

test("a depth buffer is shown beside the colours, with what the pixel under the pointer holds", async () => {
  const { page } = browser;
  await openTrace(page, card("depth.ctmcard"));
  const names = () => page.getByLabel("Surface", { exact: true }).locator("option").allInnerTexts();
  // The last draws may be a copy for who reads the picture.
  while (!(await names()).some((name) => name.startsWith("depth buffer"))) await step("Back");
  const at = (await names()).findIndex((name) => name.startsWith("depth buffer"));
  await page.getByLabel("Surface", { exact: true }).selectOption(String(at));
  await page.waitForFunction(() => /^Depths from .* black, to 1, white\.$/.test(document.querySelector("#stage .facts").textContent));
  const box = await page.locator("#stage canvas").boundingBox();
  // The red rectangle of the scene has a depth of 0.2 in -1 to 1; the stencil buffer has its hole there.
  await page.mouse.move(box.x + (76.5 / 96) * box.width, box.y + (31.5 / 64) * box.height);
  await page.waitForFunction(() => /^\(76, 32\): depth 0\.6\d*, stencil 1$/.test(document.getElementById("status").textContent));
  await page.locator("#stage canvas").click({ position: { x: 2, y: 2 } });
  await page.waitForSelector(".trace-pixel h3");
  assert.match(await page.locator(".trace-pixel p").first().innerText(), /^depth buffer: depth 1, stencil 0$/);
});

test("a trace of the device stops at each start of a program", async () => {
  const { page } = browser;
  await openTrace(page, DEVICE);
  const held = async () => {
    await page.locator("#stage canvas").focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector(".trace-pixel h3");
    return page.locator(".trace-pixel p").first().innerText();
  };
  assert.match(await held(), /^output 0: r 0.5, g 0, b 0, a 1$/);
  assert.equal(await page.locator(".warnings li").count(), 0);
  await step("Back");
  assert.match(await page.locator(".row.said.current").innerText(), /start_program/);
  await page.waitForFunction(() => document.querySelector(".trace-pixel p").textContent === "output 0: r 0.25, g 0, b 0, a 1");
  await page.getByLabel("Surface", { exact: true }).selectOption({ label: "input 0, 32 × 32" });
  await page.waitForFunction(() => document.querySelector(".trace-pixel p").textContent === "input 0: r 0, g 0, b 0, a 1");
});

test("a file is dropped, and a program takes the page back", async () => {
  const { page } = browser;
  const bytes = await readFile(card("lines.ctmcard"));
  await page.evaluate((text) => {
    delete document.body.dataset.traced;
    const transfer = new DataTransfer();
    transfer.items.add(new File([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))], "lines.ctmcard"));
    document.dispatchEvent(new DragEvent("drop", { dataTransfer: transfer, bubbles: true, cancelable: true }));
  }, bytes.toString("base64"));
  await page.waitForFunction(() => document.body.dataset.traced !== undefined);
  assert.equal(await page.locator("#editor").isVisible(), false);
  await page.selectOption("#example", "plasma");
  await page.waitForSelector(".row .count:not(:empty)");
  assert.equal(await page.locator("#editor").isVisible(), true);
  assert.equal(await page.locator(".trace-commands").isVisible(), false);
});

test("damaged traces are errors that say so, or are shown up to the damage", async () => {
  const { page } = browser;
  const whole = await readFile(card("texture.ctmcard"));
  const give = async (name, buffer) => page.setInputFiles("#file", { name, mimeType: "application/octet-stream", buffer });
  await give("short.ctmcard", whole.subarray(0, 10));
  await page.waitForFunction(() => /ends at byte 10, in the header/.test(document.getElementById("status").textContent));
  const device = Buffer.from(await readFile(DEVICE));
  device[100] ^= 1;
  await give("damaged.ctmtrace", device);
  await page.waitForFunction(() => /the trace is damaged: its checksum/.test(document.getElementById("status").textContent));
  assert.equal(await page.locator("#editor").isVisible(), true, "what was there stays");
  await give("cut.ctmcard", whole.subarray(0, whole.length - 100));
  await page.waitForSelector(".warnings li");
  assert.match(await page.locator(".warnings").innerText(), /the trace ends at byte/);
});

test("nothing went wrong on the way, and nothing left the page", () => {
  assert.deepEqual(browser.errors, []);
  assert.deepEqual(browser.foreign, []);
});
