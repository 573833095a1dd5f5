// What axe-core has against the page, in both colour schemes: names, roles, contrasts.

import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { test } from "node:test";
import axe from "axe-core";
import { open, openTrace, settled } from "./browser.mjs";

const TRACE = fileURLToPath(new URL("../../tests/card/triangles.ctmcard", import.meta.url));

async function violations(page) {
  const { violations } = await page.evaluate(() => axe.run());
  return violations.flatMap(({ id, help, nodes }) => nodes.map(({ target, failureSummary }) => `${id}: ${help}: ${target.join(" ")}: ${failureSummary}`));
}

for (const colorScheme of ["light", "dark"]) {
  test(`nothing is in the way of those who use the page otherwise, ${colorScheme}`, async (context) => {
    const { page, close } = await open({ colorScheme });
    context.after(close);
    await settled(page);
    await page.evaluate(axe.source);
    const found = [];
    const look = async (at) => found.push(...(await violations(page)).map((violation) => `${at}: ${violation}`));
    await look("picture and instructions");
    await page.getByRole("tab", { name: "Heat" }).click();
    await page.locator("#stage canvas").focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector(".debug.live .registers tr");
    await look("heat map and lane");
    await page.getByRole("tab", { name: "Stages" }).click();
    await page.waitForSelector(".stages details[open] pre");
    await look("stages");
    for (const [example, shown] of [["ripple", "#stage canvas.lines"], ["collatz", ".memory button"]]) {
      await page.selectOption("#example", example);
      await page.waitForSelector(shown);
      await look(example);
    }
    await page.locator(".cm-content").click();
    await page.keyboard.type("nonsense ");
    await page.waitForSelector(".problem.error");
    await look("problems");
    await openTrace(page, TRACE);
    await page.locator("#stage canvas").focus();
    await page.keyboard.press("Enter");
    await page.waitForSelector(".trace-pixel h3");
    await look("trace");
    assert.deepEqual(found, []);
  });
}
