import { parseKeyCommandAnswer } from '../../src/access/keys/key-commands.ts';
import type { Chance } from './chance.ts';
import type { ClusterViolations } from './cluster-invariants.ts';

interface KeysOptions {
  /** Of processes that serve. */
  readonly urls: readonly [string, ...string[]];
  readonly random: Chance;
  readonly now: () => number;
  /** Asks the engine that keeps keys, as `tallywire keys` does. Rejects where there is none, or settles never. */
  readonly command: (command: unknown) => Promise<unknown>;
  /** Since when there was no fault whose effects are not over; undefined while there is one. */
  readonly calmSince: () => number | undefined;
  /** Counts what happened. */
  readonly count: (name: string) => void;
  readonly violations: Pick<ClusterViolations, 'check'>;
}

interface MadeKey {
  readonly id: string;
  readonly text: string;
  readonly madeAt: number;
  /** Whether somebody has tried to revoke it, perhaps in vain. */
  isEnding: boolean;
  /** When that was confirmed. */
  endedAt?: number;
}

const CHANGE_EVERY_MS = 6_000;
const USE_EVERY_MS = 700;
/** A change of a key holds everywhere within this time. */
const TOLD_WITHIN_MS = 1_000;
const COMMAND_MS = 5_000;
const TIMEOUT_MS = 5_000;
/** Of those that are tried. */
const MOST_KEYS = 8;

/** Makes and revokes keys, and tries them now here and now there. */
export function startKeys(options: KeysOptions): void {
  const { urls, random, now, command, calmSince, count, violations } = options;
  let keys: MadeKey[] = [];
  let made = 0;

  async function run(given: unknown) {
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('no answer')), COMMAND_MS);
    });
    try {
      return parseKeyCommandAnswer(await Promise.race([command(given), timeout]));
    } finally {
      clearTimeout(timer);
    }
  }

  async function make(): Promise<void> {
    const { key, keys: shown } = await run({ op: 'create', tier: 'PRO', name: `key ${++made}`, limit: null });
    const id = shown[0]?.id;
    if (id === undefined || key === null) throw new Error('no key was made');
    count('keys made');
    keys = [...keys, { id, text: key, madeAt: now(), isEnding: false }].slice(-MOST_KEYS);
  }

  async function revoke(key: MadeKey): Promise<void> {
    key.isEnding = true;
    await run({ op: 'revoke', id: key.id });
    count('keys revoked');
    key.endedAt ??= now();
  }

  function change(): void {
    const unconfirmed = keys.find(({ isEnding, endedAt }) => isEnding && endedAt === undefined);
    const oldest = keys.find(({ isEnding }) => !isEnding);
    const ending = unconfirmed ?? (random() < 0.5 ? oldest : undefined);
    (ending === undefined ? make() : revoke(ending)).catch(() => count('key commands without an answer'));
  }

  async function use(key: MadeKey, url: string): Promise<void> {
    const askedAt = now();
    const answer = await fetch(`${url}/api/v1/meta/account_a`, {
      headers: { 'X-API-Key': key.text },
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await answer.arrayBuffer();
    count(`keys: ${answer.status}`);
    const calm = calmSince();
    if (calm === undefined || calm > askedAt) return;
    if (key.endedAt !== undefined && askedAt >= key.endedAt + TOLD_WITHIN_MS)
      violations.check(
        27,
        answer.status !== 200,
        () => `${url} takes the key ${key.id} ${Math.round(askedAt - (key.endedAt ?? 0))} ms after its end`,
      );
    if (!key.isEnding && askedAt >= key.madeAt + TOLD_WITHIN_MS)
      violations.check(
        27,
        answer.status !== 401,
        () => `${url} refuses the key ${key.id} ${Math.round(askedAt - key.madeAt)} ms after it was made`,
      );
  }

  setInterval(change, CHANGE_EVERY_MS);
  setInterval(() => {
    const key = keys[Math.floor(random() * keys.length)];
    const url = urls[Math.floor(random() * urls.length)] ?? urls[0];
    if (key !== undefined) use(key, url).catch(() => count('keys: no answer'));
  }, USE_EVERY_MS);
}
