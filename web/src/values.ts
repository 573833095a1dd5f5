// Bits as numbers for people.

import type { Channel } from "./protocol";

export type Form = "value" | "hex" | "integer";

const words = new DataView(new ArrayBuffer(4));

export function float(bits: number): number {
  words.setUint32(0, bits >>> 0);
  return words.getFloat32(0);
}

function decimal(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (Object.is(value, -0)) return "−0";
  const size = Math.abs(value);
  const text = size !== 0 && (size < 1e-4 || size >= 1e7) ? value.toExponential(4) : String(Number(value.toPrecision(7)));
  return text.replace("-", "−");
}

export function spell(bits: number, kind: Channel["kind"], form: Form): string {
  if (form === "hex") return `0x${(bits >>> 0).toString(16).padStart(8, "0")}`;
  if (form === "integer") return String(bits | 0).replace("-", "−");
  if (kind === "truth") return bits === 0 ? "false" : "true";
  const small = Math.abs(bits | 0) < 1 << 24;
  if (kind === "integer" || (kind === "word" && small && bits !== 0)) return String(bits | 0).replace("-", "−");
  return decimal(float(bits));
}
