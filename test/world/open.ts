import { once } from 'node:events';
import { WebSocket } from 'ws';
import { createOverrides } from '../../src/world/control/overrides.ts';
import { accountsOf } from '../../src/world/life/accounts.ts';
import { openWorld, type World } from '../../src/world/world.ts';

/** A Wednesday afternoon in New York's summer time. */
export const START_AT = Date.UTC(2026, 6, 15, 18, 0, 0);

/** What the parts of a world need of it: two accounts, of seed 7 unless given. */
export function testBase(seed = 7, count = 2) {
  return { seed, startAt: START_AT, accounts: accountsOf(seed, count), overrides: createOverrides() };
}

export type Json = Record<string, unknown>;

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Decoded; the tests say what they expect of it. */
  readonly json: unknown;
}

export interface TestWorld {
  readonly world: World;
  /** The world's clock; moved by the test. */
  readonly clock: { at: number };
  get(url: string, init?: RequestInit): Promise<Reply>;
  posts(path: string): Promise<Reply>;
}

export async function openTestWorld(seed = 7, startAt = START_AT, accounts = 2): Promise<TestWorld> {
  const clock = { at: startAt };
  const world = await openWorld({ seed, accounts, startAt, now: () => clock.at });
  async function get(url: string, init?: RequestInit): Promise<Reply> {
    const response = await fetch(url, init);
    const text = await response.text();
    return { status: response.status, headers: response.headers, text, json: decoded(text) };
  }
  const headers = { authorization: `Bearer ${world.addresses.postsToken}` };
  return { world, clock, get, posts: (path) => get(`${world.addresses.posts}${path}`, { headers }) };
}

function decoded(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The value at a path of names and indexes; fails on the way if there is nothing. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  let found = value;
  for (const name of path) {
    if (typeof found !== 'object' || found === null) throw new TypeError(`nothing at ${path.join('.')}`);
    found = Reflect.get(found, name);
  }
  return found;
}

export function list(value: unknown, ...path: readonly (string | number)[]): readonly Json[] {
  const found = at(value, ...path);
  if (!Array.isArray(found)) throw new TypeError(`no list at ${path.join('.')}`);
  return found;
}

export interface Frames {
  readonly socket: WebSocket;
  readonly texts: string[];
  /** Resolves with the first frame, from now or before, that satisfies `matches`. */
  until(matches: (text: string) => boolean): Promise<string>;
}

export async function connect(url: string): Promise<Frames> {
  const socket = new WebSocket(url);
  const texts: string[] = [];
  const waiting = new Set<() => void>();
  socket.on('message', (data) => {
    texts.push(String(data));
    for (const look of waiting) look();
  });
  await once(socket, 'open');
  return {
    socket,
    texts,
    until: (matches) =>
      new Promise((resolve) => {
        const look = (): void => {
          const found = texts.find(matches);
          if (found === undefined) return;
          waiting.delete(look);
          resolve(found);
        };
        waiting.add(look);
        look();
      }),
  };
}
