import assert from 'node:assert/strict';
import { createQuotas } from '../../src/access/limits/quotas.ts';
import { createRng } from '../../src/world/rng.ts';
import { HOUR_MS, MINUTE_MS } from '../../streams/internal.ts';
import { createGrantsWorld, type GrantsWorld, type Network } from './grants-world.ts';

interface GrantsSweep {
  readonly arrivals: number;
  /** Of one world; enough to use up the largest limit more than once. */
  readonly worldArrivals?: number;
  /** How long callers come to a world. */
  readonly spanMs?: number;
  /** Decides who comes when and where, and what goes wrong. */
  readonly seed: number;
}

/** What a kind of worlds saw. */
interface GrantsFigures {
  arrivals: number;
  /** By limit, without calls that turned out to be free. */
  readonly admitted: Record<number, number>;
  /** What one machine lets in of the same arrivals. */
  readonly oneMachine: Record<number, number>;
  /** Let in by an edge that heard of no engine. */
  alone: number;
  refunds: number;
  /** Let in after a wait for the engine. */
  waited: number;
  /** Of any call, let in or refused. */
  longestWaitMs: number;
  messages: number;
  engineKills: number;
  edgeEnds: number;
  /** The most calls in any 3,600 s, by limit. */
  readonly worstHour: Record<number, number>;
}

const EDGES = 4;
const LIMITS = [100, 10_000];
const SPAN_MS = 3 * HOUR_MS;
const WORLD_ARRIVALS = 60_000;
const FREE_CALLERS = 20;
const CALM: Network = { delayMs: 2, lost: 0, doubled: 0, late: 0, lateMs: 0 };
const ROUGH: Network = { delayMs: 20, lost: 0.05, doubled: 0.05, late: 0.03, lateMs: 5_000 };
const PLACE_MS = 10 * MINUTE_MS;
/** The part of answers that are free, as those to a reader whose copy is still good. */
const FREE_ANSWERS = 0.1;

/**
 * Lets callers who try to get more than their limit arrive over four edges in virtual time: in worlds where all is well,
 * and in worlds with lost, late and repeated messages where engines and edges are killed and cut off. Rejects when any
 * 3,600 s hold more calls than the limit, or when too few of them are let in where all is well.
 */
export function sweepGrants(sweep: GrantsSweep): {
  readonly calm: GrantsFigures;
  readonly rough: GrantsFigures;
} {
  const { arrivals, worldArrivals = WORLD_ARRIVALS, spanMs = SPAN_MS, seed } = sweep;
  const figures = { calm: emptyFigures(), rough: emptyFigures() };
  let left = arrivals;
  for (let world = 0; left > 0; world++) {
    const count = Math.min(left, worldArrivals);
    left -= count;
    const kind = world % 2 === 0 ? 'calm' : 'rough';
    const random = createRng(seed, world).next;
    playWorld({ kind, arrivals: count, spanMs, random, figures: figures[kind] });
  }
  for (const limit of LIMITS) {
    const admitted = figures.calm.admitted[limit] ?? 0;
    const oneMachine = figures.calm.oneMachine[limit] ?? 0;
    assert.ok(admitted >= 0.99 * oneMachine, `${admitted} let in, one machine lets in ${oneMachine}`);
  }
  return figures;
}

function emptyFigures(): GrantsFigures {
  const counts = { arrivals: 0, alone: 0, refunds: 0, messages: 0, waited: 0 };
  return {
    ...counts,
    longestWaitMs: 0,
    engineKills: 0,
    edgeEnds: 0,
    admitted: {},
    oneMachine: {},
    worstHour: {},
  };
}

interface WorldDeps {
  readonly kind: 'calm' | 'rough';
  readonly arrivals: number;
  readonly spanMs: number;
  readonly random: () => number;
  readonly figures: GrantsFigures;
}

function playWorld({ kind, arrivals, spanMs, random, figures }: WorldDeps): void {
  const startAt = Date.UTC(2026, 0, 1) + Math.floor(random() * HOUR_MS);
  const network = kind === 'calm' ? CALM : ROUGH;
  const world = createGrantsWorld({ startAt, edges: EDGES, network, random, placeMs: PLACE_MS });
  // Edges say hello before anyone calls.
  world.runUntil(startAt + 1_000);
  if (kind === 'rough') disturb(world, spanMs, random, figures);
  const quotas = createQuotas();
  const admitted = new Map<number, number[][]>(LIMITS.map((limit) => [limit, []]));
  for (const [limit, callers, part] of [
    [10_000, 1, 2 / 3],
    [100, FREE_CALLERS, 1 / 3],
  ] as const) {
    for (let index = 0; index < callers; index++) {
      const times: number[] = [];
      admitted.get(limit)?.push(times);
      const count = Math.floor((arrivals * part) / callers);
      figures.arrivals += count;
      const caller = `a:${limit}-${index}`;
      scheduleCaller({ world, quotas, caller, limit, count, spanMs, times, random, figures });
    }
  }
  world.runUntil(startAt + spanMs + 5 * MINUTE_MS);
  figures.messages += world.messages;
  for (const [limit, callers] of admitted) {
    for (const times of callers) {
      const worst = worstHour(times);
      figures.worstHour[limit] = Math.max(figures.worstHour[limit] ?? 0, worst);
      assert.ok(worst <= limit, `${worst} calls within 3,600 s, the limit is ${limit}`);
    }
  }
}

interface CallerDeps {
  readonly world: GrantsWorld;
  readonly quotas: ReturnType<typeof createQuotas>;
  readonly caller: string;
  readonly limit: number;
  readonly count: number;
  readonly spanMs: number;
  /** When the calls were let in that were not free. */
  readonly times: number[];
  readonly random: () => number;
  readonly figures: GrantsFigures;
}

/** Bursts at any time and around changes of minutes and hours, over one edge or all, and some calls in between. */
function scheduleCaller(deps: CallerDeps): void {
  const { world, count, spanMs, random } = deps;
  const startAt = world.now();
  const isSticky = random() < 0.3;
  const home = Math.floor(random() * EDGES);
  const drizzle = random() * 0.5;
  const bursts = Array.from({ length: 1 + Math.floor(random() * 12) }, () => {
    let at = startAt + random() * spanMs;
    if (random() < 0.5) at = nearest(at, MINUTE_MS) + (random() - 0.5) * 200;
    if (random() < 0.3) at = nearest(at, HOUR_MS) + (random() - 0.5) * 2_000;
    return { at, overMs: random() < 0.5 ? 1_000 : 2 * MINUTE_MS };
  });
  for (let call = 0; call < count; call++) {
    const burst = random() < drizzle ? undefined : bursts[Math.floor(random() * bursts.length)];
    const at = burst === undefined ? startAt + random() * spanMs : burst.at + random() * burst.overMs;
    const edge = isSticky ? home : Math.floor(random() * EDGES);
    const isFree = random() < FREE_ANSWERS;
    world.at(at, () => arrive(deps, edge, isFree));
  }
}

function arrive({ world, quotas, caller, limit, times, figures }: CallerDeps, edge: number, isFree: boolean) {
  const nowMs = Math.floor(world.now());
  const hour = quotas.ofAddress(caller, nowMs);
  if (quotas.charge(hour, nowMs, limit)) {
    if (isFree) quotas.refund(hour, nowMs);
    else figures.oneMachine[limit] = (figures.oneMachine[limit] ?? 0) + 1;
  }
  const cameAt = world.now();
  world.call(edge, caller, limit, (verdict) => {
    const waitMs = world.now() - cameAt;
    figures.longestWaitMs = Math.max(figures.longestWaitMs, waitMs);
    if (verdict.kind !== 'admitted') return;
    if (waitMs > 0) figures.waited += 1;
    if (world.status(edge) === 'alone') figures.alone += 1;
    if (isFree) {
      figures.refunds += 1;
      world.refund(edge, verdict);
      return;
    }
    figures.admitted[limit] = (figures.admitted[limit] ?? 0) + 1;
    times.push(world.now());
  });
}

/** Kills and starts the engine and edges, and cuts edges off. */
function disturb(world: GrantsWorld, spanMs: number, random: () => number, figures: GrantsFigures): void {
  const endAt = world.now() + spanMs;
  const every = (meanMs: number, act: () => void) => {
    for (let at = world.now(); at < endAt; ) {
      at -= Math.log(1 - random()) * meanMs;
      world.at(at, act);
    }
  };
  let kills = 0;
  const kill = () => {
    kills += 1;
    const killed = kills;
    figures.engineKills += 1;
    world.killEngine();
    // Most are back in seconds; a few stay away for longer than reserves may be used.
    const awayMs = random() < 0.8 ? random() * 5_000 : random() * 2 * PLACE_MS;
    world.at(world.now() + awayMs, () => {
      if (killed === kills) world.startEngine();
    });
  };
  world.at(world.now() + spanMs / 2, kill);
  every(8 * MINUTE_MS, kill);
  every(10 * MINUTE_MS, () => {
    const edge = Math.floor(random() * EDGES);
    world.cut(edge, true);
    // A few for so long that the place is given to others.
    const cutMs = random() < 0.9 ? random() * 5 * MINUTE_MS : random() * 2 * HOUR_MS;
    world.at(world.now() + cutMs, () => world.cut(edge, false));
  });
  every(HOUR_MS, () => {
    figures.edgeEnds += 1;
    const edge = Math.floor(random() * EDGES);
    if (random() < 0.5) world.killEdge(edge);
    else world.closeEdge(edge);
  });
}

function nearest(at: number, stepMs: number): number {
  return Math.round(at / stepMs) * stepMs;
}

/** The most of ascending times within any 3,600 s. */
export function worstHour(times: readonly number[]): number {
  let first = 0;
  let worst = 0;
  for (const [last, at] of times.entries()) {
    while (at - (times[first] ?? at) >= HOUR_MS) first += 1;
    worst = Math.max(worst, last - first + 1);
  }
  return worst;
}
