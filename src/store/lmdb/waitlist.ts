import type { Waitlist, WaitlistEntry, WaitlistPlace } from '../store.ts';
import type { Environment } from './environment.ts';
import { parseStored } from './stored-text.ts';
import { sizeOf } from './write-size.ts';

const ROWS_PER_STEP = 1_000;

type PackedEntry = [
  at: number,
  type: WaitlistEntry['type'],
  useCase: string,
  name: string | null,
  wallet: string | null,
  email: string | null,
];

interface Claim {
  readonly entry: WaitlistEntry;
  readonly at: number;
  readonly resolve: (place: WaitlistPlace) => void;
  readonly reject: (error: unknown) => void;
}

/** The owners of a place. Neither a wallet nor, in practice, an email depends on the case of its letters. */
export function identitiesOf({ wallet, email }: WaitlistEntry): string[] {
  const identities: string[] = [];
  if (wallet !== null) identities.push(`wallet ${wallet.toLowerCase()}`);
  if (email !== null) identities.push(`email ${email.toLowerCase()}`);
  return identities;
}

/** The first place any of them has, if one has. */
export function firstPlace(
  identities: readonly string[],
  placeOf: (identity: string) => number | undefined,
): number | undefined {
  const places = identities.map(placeOf).filter((place) => place !== undefined);
  return places.length === 0 ? undefined : Math.min(...places);
}

function encode({ type, useCase, name, wallet, email }: WaitlistEntry, at: number): string {
  const packed: PackedEntry = [at, type, useCase, name, wallet, email];
  return JSON.stringify(packed);
}

/** Stands in a place whose owner is lost, so that nobody else gets it. */
const LOST_PLACE = 'null';

/** Undefined for a place whose owner is lost. */
function decode(text: string, position: number) {
  const packed = parseStored<PackedEntry | null>(text, `place ${position} of the waitlist`);
  if (packed === null) return undefined;
  const [at, type, useCase, name, wallet, email] = packed;
  return { position, at, type, useCase, name, wallet, email };
}

/** Throws unless the places have no holes and each is in the index, under no later place than its own. */
export function checkWaitlist({ waitlist, waitlistIndex, damage }: Environment): void {
  let position = 0;
  for (const { key, value } of waitlist.getRange()) {
    if (key !== ++position) throw damage('waitlist', `the waitlist has no place ${position}`);
    const entry = decode(value, key);
    for (const identity of entry === undefined ? [] : identitiesOf(entry)) {
      const place = Number(waitlistIndex.get(identity) ?? Number.NaN);
      if (!(place <= position)) {
        throw damage('waitlistIndex', `the index of the waitlist lacks an owner of place ${position}`);
      }
    }
  }
  for (const { value } of waitlistIndex.getRange()) {
    if (Number(value) > position) throw damage('waitlist', `the waitlist has no place ${value}`);
  }
}

/** Marks the places whose owners are lost, and puts the others into the index. Returns what is lost, as sentences. */
export async function completeWaitlist({
  waitlist,
  waitlistIndex,
  durable,
  root,
}: Environment): Promise<readonly string[]> {
  const index = new Map<string, number>();
  let last = [...waitlist.getKeys({ reverse: true, limit: 1 })][0] ?? 0;
  for (const { key, value } of waitlistIndex.getRange()) {
    index.set(key, Number(value));
    last = Math.max(last, Number(value));
  }
  const missing: string[] = [];
  const lost: number[] = [];
  for (let position = 1; position <= last; position++) {
    const text = waitlist.get(position);
    if (text === undefined) lost.push(position);
    const entry = text === undefined ? undefined : decode(text, position);
    for (const identity of entry === undefined ? [] : identitiesOf(entry)) {
      if ((index.get(identity) ?? Number.POSITIVE_INFINITY) <= position) continue;
      index.set(identity, position);
      missing.push(identity);
    }
  }
  const begin = () =>
    root.batch(() => {
      for (const position of lost) void waitlist.put(position, LOST_PLACE);
      for (const identity of missing) void waitlistIndex.put(identity, String(index.get(identity)));
    });
  await durable(begin, 'the waitlist', sizeOf(missing, lost.length));
  return lost.map((position) => `waitlist: the owner of place ${position} is lost`);
}

/**
 * Claims that arrive while a commit is under way wait and share the next one, so that any number of callers at
 * once costs a few commits. One commit at a time: a place is free or taken when the next claim is looked at.
 */
export function openWaitlist({ durable, root, waitlist, waitlistIndex }: Environment): Waitlist {
  let waiting: Claim[] = [];
  let isCommitting = false;

  const lastPosition = () => [...waitlist.getKeys({ reverse: true, limit: 1 })][0] ?? 0;
  const keptPlace = (identity: string) => {
    const text = waitlistIndex.get(identity);
    return text === undefined ? undefined : Number(text);
  };

  async function commit(claims: readonly Claim[]): Promise<void> {
    const taken = new Map<string, number>();
    const rows: { position: number; text: string }[] = [];
    const answers: (() => void)[] = [];
    let position = lastPosition();
    for (const { entry, at, resolve } of claims) {
      const identities = identitiesOf(entry);
      const place = firstPlace(identities, (identity) => taken.get(identity) ?? keptPlace(identity));
      const own = place ?? ++position;
      if (place === undefined) rows.push({ position: own, text: encode(entry, at) });
      for (const identity of identities) {
        if (!taken.has(identity) && keptPlace(identity) === undefined) taken.set(identity, own);
      }
      answers.push(() => resolve({ position: own, isNew: place === undefined }));
    }
    if (taken.size > 0) {
      const write = () =>
        root.batch(() => {
          for (const row of rows) void waitlist.put(row.position, row.text);
          for (const [identity, own] of taken) void waitlistIndex.put(identity, String(own));
        });
      const texts = [...rows.map(({ text }) => text), ...taken.keys()];
      await durable(write, 'the waitlist', sizeOf(texts));
    }
    for (const answer of answers) answer();
  }

  async function commitAll(): Promise<void> {
    if (isCommitting) return;
    isCommitting = true;
    while (waiting.length > 0) {
      const claims = waiting;
      waiting = [];
      try {
        await commit(claims);
      } catch (error) {
        for (const { reject } of claims) reject(error);
      }
    }
    isCommitting = false;
  }

  return {
    claim(entry, at) {
      return new Promise((resolve, reject) => {
        // A caller with a place gets it even when nothing can be written.
        const identities = identitiesOf(entry);
        const places = identities.map(keptPlace);
        if (places.length > 0 && places.every((place) => place !== undefined)) {
          resolve({ position: Math.min(...places), isNew: false });
          return;
        }
        waiting.push({ entry, at, resolve, reject });
        void commitAll();
      });
    },

    *list() {
      for (let start = 0; ; ) {
        const rows = [...waitlist.getRange({ start, limit: ROWS_PER_STEP })];
        for (const { key, value } of rows) {
          const entry = decode(value, key);
          if (entry !== undefined) yield entry;
        }
        const last = rows.at(-1);
        if (last === undefined) return;
        start = last.key + 1;
      }
    },
  };
}
