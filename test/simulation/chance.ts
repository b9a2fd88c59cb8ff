/** Numbers in [0, 1). */
export type Chance = () => number;

const RANGE = 2 ** 32;

function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return mixed(hash);
}

/** Every bit of the result depends on every bit of `value`. */
function mixed(value: number): number {
  let mix = value ^ (value >>> 16);
  mix = Math.imul(mix, 0x21f0aaad);
  mix ^= mix >>> 15;
  mix = Math.imul(mix, 0x735a2d97);
  return (mix ^ (mix >>> 15)) >>> 0;
}

/**
 * The chance of one link of the simulation, such as the latency of a connection. The nth number depends on seed, link and n
 * alone, so what is drawn elsewhere does not change it.
 */
export function chanceOf(seed: number, link: string): Chance {
  const start = hashOf(`${seed} ${link}`);
  let n = 0;
  return () => mixed((start + Math.imul(n++, 0x9e3779b9)) | 0) / RANGE;
}
