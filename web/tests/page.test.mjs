// The page in Chromium.

import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { gzipSync } from "node:zlib";
import { link, open, settled, unsettle } from "./browser.mjs";

let browser;
before(async () => {
  browser = await open();
  await settled(browser.page);
});
after(() => browser.close());

const choose = async (name) => {
  await unsettle(browser.page);
  await browser.page.selectOption("#example", name);
};

test("everything is small and its own", async () => {
  const dist = new URL("../dist/", import.meta.url);
  const files = await readdir(dist, { recursive: true, withFileTypes: true });
  let bytes = 0;
  for (const file of files.filter((file) => file.isFile())) bytes += gzipSync(await readFile(`${file.parentPath}/${file.name}`)).length;
  console.log(`page: ${(bytes / 1e6).toFixed(2)} MB compressed`);
  assert.ok(bytes < 3e6, `${bytes} bytes`);
  assert.deepEqual(browser.foreign, []);
});

test("every example shows something, and an edit is a picture in less than 100 ms at 256 x 256", async () => {
  const { page } = browser;
  const examples = await page.$$eval("#example option:not([disabled])", (options) => options.map((option) => option.value));
  assert.ok(examples.length > 8);
  const times = {};
  for (const name of examples) {
    await choose(name);
    if (name === "ripple" || name === "collatz") {
      await page.waitForSelector(name === "ripple" ? "#stage canvas" : ".memory button");
      continue;
    }
    await settled(page);
    await page.getByLabel("Size").selectOption("256");
    await settled(page);
    const rounds = [];
    for (let round = 0; round < 9; round++) {
      await unsettle(page);
      await page.locator(".cm-content").click({ position: { x: 5, y: 5 } });
      await page.keyboard.press("Control+Home");
      await page.keyboard.type(" ");
      await settled(page);
      rounds.push(Number(await page.evaluate(() => document.body.dataset.painted)));
    }
    times[name] = rounds.sort((a, b) => a - b);
  }
  // The first ones are slow: the browser is still compiling the engine.
  for (const [name, [least]] of Object.entries(times)) console.log(`edit to picture: ${name} ${least} ms, ${times[name][4]} ms in the middle`);
  // Machines that run checks are shared: a test holds a generous bound, the figures above are the measurement.
  const most = Number(process.env.MOST_MS ?? 600);
  for (const [name, [least]] of Object.entries(times)) assert.ok(least < most, `${name}: ${least} ms`);
});

// Alpha is 0 in all of two parts, but not in all of the picture.
const STRIPE = "void main() { gl_FragColor = vec4(1.0, 1.0, 1.0, abs(gl_FragCoord.y - 28.0) < 4.0 ? 1.0 : 0.0); }";

test("several engines paint what one paints", async () => {
  const [one, several] = await Promise.all([1, 3].map((engines) => open({ engines })));
  try {
    const painted = [];
    for (const { page } of [one, several]) {
      await settled(page);
      const pictures = [];
      const stripe = await link({ language: "glsl", text: STRIPE, size: [256, 256] });
      const steps = [() => page.selectOption("#example", "clouds-glsl"), () => page.evaluate((hash) => (location.hash = hash), stripe)];
      for (const step of steps) {
        await unsettle(page);
        await step();
        await settled(page);
        pictures.push(
          await page.$eval("#stage canvas", (canvas) => {
            const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
            return Array.from(data).join();
          }),
        );
      }
      painted.push(pictures);
    }
    assert.equal(several.page.workers().length, 3);
    assert.equal(one.page.workers().length, 1);
    assert.equal(painted[0][1].split(",").filter((value, at) => at % 4 === 3 && value === "0").length, 248 * 256);
    assert.deepEqual(painted[1], painted[0]);
    assert.deepEqual([...one.errors, ...several.errors], []);
  } finally {
    await Promise.all([one, several].map((browser) => browser.close()));
  }
});

test("the heat map has the counts of the engine", async () => {
  const { page } = browser;
  await choose("newton");
  await settled(page);
  await page.getByRole("tab", { name: "Heat" }).click();
  const total = Number(await page.evaluate(() => document.body.dataset.counted));
  const rows = await page.$$eval(".row", (rows) => rows.map((row) => Number(row.title.split(" ")[0].replaceAll(",", ""))));
  assert.equal(rows.reduce((sum, count) => sum + count, 0), total);
  assert.match(await page.locator(".legend").innerText(), /instructions of each lane/);
  await page.getByRole("tab", { name: "Divergence" }).click();
  assert.match(await page.locator(".legend").innerText(), /%/);
  await page.getByRole("tab", { name: "Picture" }).click();
});

// Red, green and blue rise one after the other.
const isHeat = ([r, g, b]) => (g === 0 || r === 255) && (b === 0 || g === 255);

test("the colours of the heat map are those of `ctm run --heat`", async () => {
  const { page } = browser;
  await choose("mandelbrot");
  await settled(page);
  await page.getByRole("tab", { name: "Heat" }).click();
  await page.waitForFunction(() => document.querySelector(".legend .ramp"));
  const pixels = await page.$eval("#stage canvas", (canvas) => Array.from(canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data));
  const colours = new Set();
  for (let at = 0; at < pixels.length; at += 4) colours.add(pixels.slice(at, at + 3).join());
  assert.ok(colours.size > 20 && colours.has("255,255,255"), `${colours.size} colours`);
  for (const colour of colours) assert.ok(isHeat(colour.split(",").map(Number)), colour);
  const ends = (await page.locator(".legend").innerText()).match(/[\d,]+/g);
  assert.equal(ends[0], "0");
  await page.getByRole("tab", { name: "Picture" }).click();
});

test("problems are shown where they are, and completion has the names", async () => {
  const { page } = browser;
  await choose("plasma");
  await settled(page);
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("\nsrc0.rgb = temp[0] : temp[1].rgb = MAXX");
  await page.waitForSelector(".problem.error");
  assert.match(await page.locator("#status").innerText(), /error/);
  await page.keyboard.press("Backspace");
  await page.keyboard.press("Control+Space");
  await page.waitForSelector(".cm-tooltip-autocomplete li");
  const offered = await page.$$eval(".cm-tooltip-autocomplete li", (items) => items.map((item) => item.textContent));
  assert.ok(offered.some((text) => text.startsWith("MAX")), offered.join());
  await page.keyboard.press("Escape");
});

test("a link holds everything", async () => {
  const { page, origin } = browser;
  const text = "// linked\nuniform float time;\nuniform vec3 tint;\nvoid main() { gl_FragColor = vec4(tint * time, 1.0); }\n";
  const state = { language: "glsl", text, size: [64, 64], constants: {}, uniforms: { tint: [1, 0.5, 0] }, inputs: {}, time: { to: "time", seconds: 1 }, mouse: { to: "", x: 0, y: 0 }, settings: "" };
  await unsettle(page);
  await page.goto(`${origin}/${await link(state)}`);
  await settled(page);
  const pixel = await page.evaluate(() => [...document.querySelector("#stage canvas").getContext("2d").getImageData(3, 3, 1, 1).data]);
  assert.deepEqual(pixel, [255, 128, 0, 255]);
  await page.waitForFunction(() => location.hash.length > 10);
  const hash = await page.evaluate(() => location.hash);
  const again = await open();
  await unsettle(again.page);
  await again.page.goto(`${again.origin}/${hash}`);
  await settled(again.page);
  assert.match(await again.page.locator(".cm-content").innerText(), /linked/);
  await again.close();
});

test("a link that is opened while the address is written is not written over", async () => {
  const { page } = browser;
  const opened = await link({ language: "glsl", text: "// opened\nvoid main() { gl_FragColor = vec4(1.0); }", size: [64, 64] });
  const before = await page.evaluate(() => location.hash);
  await choose("plasma");
  await page.waitForFunction((hash) => location.hash !== hash, before);
  await page.evaluate(() => {
    const { arrayBuffer } = Response.prototype;
    // Packing and unpacking of links, each held until it is let go.
    window.held = [];
    Response.prototype.arrayBuffer = async function () {
      await new Promise((resolve) => window.held.push(resolve));
      return arrayBuffer.call(this);
    };
    window.restore = () => (Response.prototype.arrayBuffer = arrayBuffer);
  });
  await choose("julia");
  await page.waitForFunction(() => window.held.length === 1);
  await page.evaluate((hash) => (location.hash = hash), opened);
  await page.waitForFunction(() => window.held.length === 2);
  await page.evaluate(() => window.held[0]());
  await page.waitForTimeout(100);
  assert.equal(await page.evaluate(() => location.hash), opened);
  await page.evaluate(() => {
    window.restore();
    window.held[1]();
  });
  await page.waitForFunction(() => document.querySelector(".cm-content").innerText.includes("// opened"));
  await settled(page);
});

test("an endless run is stopped, and the page goes on", async () => {
  const { page, origin } = browser;
  const text = "void main() { float a = 0.0; for (int i = 0; i < 255; i++) for (int j = 0; j < 255; j++) for (int k = 0; k < 255; k++) a += sin(a); gl_FragColor = vec4(a); }";
  const state = { language: "glsl", text, size: [512, 512] };
  await unsettle(page);
  await page.goto(`${origin}/${await link(state)}`);
  await page.reload();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.waitForFunction(() => document.getElementById("status").textContent === "stopped");
  await choose("julia");
  await settled(page);
});

// 20 leaves, x + k each, and sums of two until one is left: 40 instructions with the output, of which each says in its comment what it
// adds. One of the sums takes the wrong channel.
function sums(x, wrong) {
  const lines = [];
  const nodes = [];
  for (let k = 1; k <= 20; k++) {
    lines.push(`.const c${k} = ${k}.0, ${k}.5, 0.0, 0.0`);
  }
  for (let k = 1; k <= 20; k++) {
    lines.push(`src0.rgb = temp[0], src1.rgb = const[${k}] : temp[${k}].rg = MAD src0.rr0 src0.110 src1.rg0 ;`);
    nodes.push({ register: k, value: x + k });
  }
  let next = 21;
  while (nodes.length > 1) {
    const [a, b] = [nodes.shift(), nodes.shift()];
    const swizzle = next === wrong ? "gr0" : "rg0";
    lines.push(`src0.rgb = temp[${a.register}], src1.rgb = temp[${b.register}] : temp[${next}].rg = MAD src0.rg0 src0.110 src1.${swizzle} ; -- ${a.value} + ${b.value}`);
    nodes.push({ register: next++, value: a.value + b.value });
  }
  lines.push(`OUT src0.rgb = temp[${next - 1}] : out[0].rgb = MAX src0.rg0 src0.rg0 ;`);
  return { text: lines.join("\n"), result: nodes[0].value, root: next - 1 };
}

test("a wrong swizzle among 40 instructions is found in ten actions", async () => {
  const { page, origin } = browser;
  const [x, wrong] = [5, 33];
  const { text, result, root } = sums(x, wrong);
  await unsettle(page);
  await page.goto(`${origin}/${await link({ language: "x1k", text, size: [64, 64] })}`);
  await page.reload();
  await settled(page);
  let actions = 0;
  const canvas = page.locator("#stage canvas");
  const { width, height } = await canvas.boundingBox();
  await canvas.click({ position: { x: ((x + 0.5) / 64) * width, y: height / 2 } });
  actions++;
  const value = async (register) => Number((await page.locator(`[data-cell="temp[${register}].r"]`).innerText()).replace(/^r\s*/, ""));
  await page.waitForSelector(`[data-cell="temp[${root}].r"]`);
  assert.notEqual(await value(root), result, "the bug shows");
  let register = root;
  for (;;) {
    const cell = page.locator(`[data-cell="temp[${register}].r"]`);
    const writer = await cell.getAttribute("data-writer");
    await cell.click();
    actions++;
    await page.waitForFunction((step) => document.querySelector(".where").textContent.startsWith(`step ${step} of`), writer);
    const line = await page.locator(".cm-line.marked").innerText();
    const expected = line.split("--")[1].split("+").map(Number);
    const operands = [...line.matchAll(/src\d\.rgb = temp\[(\d+)\]/g)].map((match) => Number(match[1]));
    const values = await Promise.all(operands.map(value));
    const next = operands.findIndex((_, at) => values[at] !== expected[at]);
    if (next < 0) {
      assert.match(line, /src1\.gr0/, "what it adds is right, what it gives is not");
      break;
    }
    register = operands[next];
  }
  console.log(`found in ${actions} actions`);
  assert.ok(actions <= 10, `${actions} actions`);
});

test("lanes of R700 have their group, and the loops that it is in", async () => {
  const { page } = browser;
  await choose("newton");
  await settled(page);
  await page.locator("#stage canvas").click();
  await page.waitForSelector(".debug.live .registers tr");
  assert.equal(await page.locator(".lanes .lane").count(), 64);
  assert.equal(await page.locator(".lanes .lane.own").count(), 1);
  for (let back = 0; back < 12; back++) await page.getByLabel("Step of the lane").press(",");
  await page.waitForFunction(() => !document.querySelector(".debug .stack").hidden);
  assert.match(await page.locator(".debug .stack").innerText(), /^On the stack: /);
});

test("variables of a shader stand above the registers, and go along with the steps", async () => {
  const { page, origin } = browser;
  const text = "uniform float time;\nvoid main() {\n  vec2 p = gl_FragCoord.xy * time;\n  float sum = 0.0;\n  for (int i = 0; i < 40; i++) {\n    sum = sum * 0.5 + p.x;\n    if (sum > 1.7 * p.x) break;\n  }\n  gl_FragColor = vec4(sum, p, 1.0);\n}\n";
  await unsettle(page);
  await page.goto(`${origin}/${await link({ language: "glsl", text, size: [64, 64], uniforms: { time: [2] } })}`);
  await page.reload();
  await settled(page);
  await page.locator("#stage canvas").click();
  await page.waitForSelector(".debug.live .registers tr");
  await page.getByLabel("Step of the lane").press("Home");
  const sums = [];
  const count = Number(await page.getByLabel("Step of the lane").getAttribute("max"));
  for (let step = 0; step < count; step++) {
    await page.waitForFunction((step) => document.querySelector(".where").textContent.startsWith(`step ${step} of`), step);
    const sum = page.locator('[data-variable="sum"]');
    if ((await sum.count()) > 0) sums.push(Number(await sum.innerText()));
    await page.getByLabel("Step of the lane").press(".");
  }
  const column = Number((await page.locator(".debug h3").innerText()).match(/\d+/)[0]);
  const x = (column + 0.5) * 2;
  assert.deepEqual([...new Set(sums)], [0, x, 1.5 * x, 1.75 * x]);
  await choose("mandelbrot");
  await settled(page);
  await page.locator("#stage canvas").click();
  await page.waitForSelector(".debug.live .registers tr");
  assert.equal(await page.locator(".variables").isVisible(), false);
});

const FETCH = "texelFetch(iChannel0, ivec2(p), 0)";
const pixel = (page) => page.evaluate(() => [...document.querySelector("#stage canvas").getContext("2d").getImageData(5, 6, 1, 1).data]);

test("buffers have tabs, and go from frame to frame", async () => {
  const { page, origin } = browser;
  const buffers = [{ name: "A", text: `void mainImage(out vec4 c, in vec2 p) { c = ${FETCH} + 0.25; }`, inputs: { 0: { buffer: "A" } } }];
  const text = `void mainImage(out vec4 c, in vec2 p) { c = vec4(${FETCH}.xy, iTime / 10.0, 1.0); }`;
  await unsettle(page);
  await page.goto(`${origin}/${await link({ language: "glsl", text, size: [64, 64], inputs: { 0: { buffer: "A" } }, buffers })}`);
  await page.reload();
  await settled(page);
  assert.deepEqual(await pixel(page), [64, 64, 0, 255]);
  const next = async (act) => {
    await unsettle(page);
    await act();
    await settled(page);
  };
  await next(() => page.getByLabel("Time in seconds").fill("1"));
  assert.deepEqual(await pixel(page), [128, 128, 26, 255]);
  // Another tab shows the buffer, which is the next frame then.
  await next(() => page.getByRole("tab", { name: "A", exact: true }).click());
  assert.match(await page.locator(".cm-content").innerText(), /\+ 0\.25/);
  assert.ok(await page.getByRole("button", { name: "Play" }).isVisible(), "a buffer that reads no time has frames all the same");
  assert.deepEqual(await pixel(page), [191, 191, 191, 191]);
  await page.locator("#stage canvas").click();
  await page.waitForSelector(".debug.live .registers tr");
  // What is typed there begins again.
  await page.locator(".cm-content").click();
  await page.keyboard.press("Control+End");
  await next(() => page.keyboard.type(" "));
  assert.deepEqual(await pixel(page), [64, 64, 64, 64]);
  await page.keyboard.type("}");
  await page.waitForSelector("#passes .wrong");
  assert.match(await page.locator("#status").innerText(), /error/);
  await next(() => page.keyboard.press("Backspace"));
  // Another buffer, which the first one reads, and which goes again.
  await next(() => page.getByRole("button", { name: "Add a buffer" }).click());
  assert.match(await page.locator(".cm-content").innerText(), /iResolution/);
  await next(() => page.getByRole("tab", { name: "Image" }).click());
  await next(() => page.getByLabel("Input 0: iChannel0").selectOption("buffer:B"));
  assert.deepEqual(await pixel(page), [22, 26, 26, 255]);
  await page.getByRole("tab", { name: "B", exact: true }).click();
  await next(() => page.getByRole("button", { name: "Remove B" }).click());
  assert.equal(await page.locator("#passes [role=tab]").count(), 2);
  assert.equal(await page.getByLabel("Input 0: iChannel0").inputValue(), "checker");
  await page.waitForFunction(() => location.hash.length > 10);
  await next(() => page.selectOption("#example", "julia"));
  assert.equal(await page.locator("#passes").isVisible(), false);
});

for (const width of [1360, 1920]) {
  test(`a lane is read without scrolling sideways at ${width} pixels`, async () => {
    const { page } = browser;
    const before = page.viewportSize();
    await page.setViewportSize({ width, height: 800 });
    for (const example of ["clouds-glsl", "julia", "newton"]) {
      await choose(example);
      await settled(page);
      await page.locator("#stage canvas").click();
      await page.waitForSelector(".debug.live .registers tr");
      for (const form of ["numbers", "bits"]) {
        await page.getByLabel("How values are written").selectOption({ label: form });
        await page.waitForTimeout(100);
        const sides = await page.$$eval("#panel, header, main, body", (elements) => elements.map(({ id, scrollWidth, clientWidth }) => [id, scrollWidth, clientWidth]));
        for (const [id, scroll, client] of sides) assert.ok(scroll <= client, `${example}, ${form}: ${id} is ${scroll} wide in ${client}`);
      }
      await page.getByLabel("How values are written").selectOption({ label: "numbers" });
    }
    await page.setViewportSize(before);
  });
}

test("threads and invocations of all stages are followed, with the lanes of their warp", async () => {
  const { page } = browser;
  await page.selectOption("#example", "collatz");
  await page.locator(".memory button").nth(5).click();
  await page.waitForSelector(".debug.live .registers tr");
  assert.equal(await page.locator(".debug h3").innerText(), "Thread 5");
  assert.equal(await page.locator(".lanes .lane.own").count(), 1);
  await page.locator(".lanes .lane").nth(7).click();
  await page.waitForFunction(() => document.querySelector(".debug h3").textContent === "Thread 7");
  await page.selectOption("#example", "ripple");
  await page.waitForSelector("#stage canvas.lines");
  await page.getByRole("tab", { name: "Invocation" }).click();
  const launches = page.getByLabel("Launch", { exact: true });
  await page.waitForFunction(() => document.querySelectorAll(".invocations option").length > 3);
  const names = await launches.locator("option").allInnerTexts();
  for (const stage of ["vertex", "geometry"]) {
    await launches.selectOption(String(names.findIndex((name) => name.includes(stage))));
    await page.getByLabel("Invocation", { exact: true }).fill("1");
    await page.getByRole("button", { name: "Follow" }).click();
    await page.waitForFunction((stage) => document.querySelector(".debug h3").textContent.endsWith(stage), stage);
    assert.match(await page.locator(".debug h3").innerText(), /^Invocation 1 of launch \d+, /);
    assert.match(await page.locator(".where").innerText(), /^step \d+ of \d+/);
  }
  await page.getByRole("tab", { name: "Stages" }).click();
  await page.waitForSelector(".stages details");
  const forms = await page.locator(".stages details").evaluateAll((forms) => forms.map((form) => form.dataset.name));
  assert.deepEqual(forms, ["vertex", "tess_init", "tessellation", "geometry"]);
});

test("the keyboard reaches everything, and everything has a name", async () => {
  const { page } = browser;
  await choose("mandelbrot");
  await settled(page);
  const nameless = await page.$$eval("button, select, input, textarea, canvas[role]", (elements) =>
    elements
      .filter((element) => element.type !== "hidden" && element.getClientRects().length > 0)
      .filter((element) => !(element.getAttribute("aria-label") || element.textContent.trim() || element.labels?.length || element.title))
      .map((element) => element.outerHTML.slice(0, 80)),
  );
  assert.deepEqual(nameless, []);
  await page.locator("#stage canvas").focus();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForSelector(".debug.live");
  assert.match(await page.locator(".debug h3").innerText(), /Lane \(1, 1\)/);
});

test("nothing went wrong on the way, and nothing left the page", () => {
  assert.deepEqual(browser.errors, []);
  assert.deepEqual(browser.foreign, []);
});
