export function plain(module: Uint8Array, places: number[]): Uint8Array<ArrayBuffer>;
