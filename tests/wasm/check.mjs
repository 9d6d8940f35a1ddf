// What the tests share: an instance, and deep comparison.
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

export const folder = process.argv[2];
export const module = await import(pathToFileURL(`${folder}/dtcore.js`));
export const dtcore = await module.load(readFileSync(`${folder}/dtcore.wasm`));

export function shown(v) {
  return JSON.stringify(v, (_, x) => (typeof x === "bigint" ? `${x}n` : typeof x === "number" && !Number.isFinite(x) ? String(x) : x));
}

// null when the same, else where they differ. Numbers are the same by their bits, but for those of a NaN.
export function difference(got, want, path = "it") {
  if (typeof got !== "object" || typeof want !== "object" || got === null || want === null)
    return Object.is(got, want) ? null : `${path} is ${shown(got)}, not ${shown(want)}`;
  for (const key of Object.keys(want)) {
    const found = difference(got[key], want[key], `${path}.${key}`);
    if (found) return found;
  }
  if (got instanceof Error) return null; // it has a stack too
  const extra = Object.keys(got).find((key) => !(key in want));
  return extra === undefined ? null : `${path}.${extra} is ${shown(got[extra])}, and should not be there`;
}
