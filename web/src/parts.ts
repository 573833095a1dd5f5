// Pictures that several engines have painted.

import type { PictureBands } from "./protocol";

// The whole picture. Alpha that is 0 in all of a part is left out there, as that of programs that do not write it; if it is not 0 in all of the
// picture, it is 0 after all.
export function join(parts: PictureBands[], width: number, height: number): Uint8Array {
  const picture = new Uint8Array(4 * width * height);
  const isOpaque = parts.every((part) => part.isOpaque);
  for (const part of parts) {
    if (part.isOpaque && !isOpaque) for (let at = 3; at < part.bytes.length; at += 4) part.bytes[at] = 0;
    let from = 0;
    for (let band = 0; band < part.rows.length; band += 2) {
      const [first = 0, end = 0] = part.rows.slice(band, band + 2);
      const bytes = part.bytes.subarray(from, (from += 4 * width * (end - first)));
      picture.set(bytes, 4 * width * first);
    }
  }
  return picture;
}
