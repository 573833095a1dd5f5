// Engines of WebAssembly that have no relaxed vectors take a module without them. Their multiply-add is the only instruction of these in the
// module; the one that takes its place gives other numbers, which tells the interpreter to do without it.

const RELAXED_MADD = [0xfd, 0x85, 0x02];
const NOTHING_AND_BITSELECT = [0x01, 0xfd, 0x52];

// The module without relaxed vectors. `places` are the offsets of its multiply-adds, which `xtask` has found.
export function plain(module, places) {
  const bytes = new Uint8Array(module);
  for (const place of places) {
    if (RELAXED_MADD.some((byte, at) => bytes[place + at] !== byte)) throw new Error(`the engine has no multiply-add at byte ${place}`);
    bytes.set(NOTHING_AND_BITSELECT, place);
  }
  return bytes;
}
