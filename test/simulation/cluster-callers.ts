import * as z from 'zod';
import type { Chance } from './chance.ts';

type Answered = (name: string) => void;

interface CallersOptions {
  /** Of processes that serve. */
  readonly urls: readonly [string, ...string[]];
  readonly random: Chance;
  /** Counts what happened. */
  readonly count: Answered;
}

/** A caller that takes whatever it gets. */
interface LimitedCaller {
  /** The most calls that were let in within any hour. */
  most(): number;
}

const CALL_EVERY_MS = 2_000;
const CLAIM_EVERY_MS = 7_000;
const TIMEOUT_MS = 40_000;
/** An answer comes later than its call was counted, by its time limit at most. */
const SURELY_ONE_HOUR_MS = 3_600_000 - TIMEOUT_MS;

function anyOf(urls: CallersOptions['urls'], random: Chance): string {
  return urls[Math.floor(random() * urls.length)] ?? urls[0];
}

/** Calls without a key, far more often than it may, now here and now there. */
export function startLimitedCaller({ urls, random, count }: CallersOptions): LimitedCaller {
  const letIn: number[] = [];
  let most = 0;
  setInterval(() => {
    fetch(`${anyOf(urls, random)}/api/v1/meta/account_a`, { signal: AbortSignal.timeout(TIMEOUT_MS) })
      .then(async (answer) => {
        await answer.arrayBuffer();
        count(`limited caller ${answer.status}`);
        if (answer.status !== 200) return;
        const now = performance.now();
        letIn.push(now);
        while ((letIn[0] ?? now) <= now - SURELY_ONE_HOUR_MS) letIn.shift();
        most = Math.max(most, letIn.length);
      })
      .catch(() => count('limited caller unanswered'));
  }, CALL_EVERY_MS);
  return { most: () => most };
}

const place = z.object({ status: z.string(), position: z.int() });

/** Claims places on the waitlist, now here and now there. Resolved places are told. */
export function startClaiming(
  { urls, random, count }: CallersOptions,
  onClaimed: (name: string, position: number, isNew: boolean) => void,
): void {
  let claims = 0;
  const claim = (name: string) => {
    fetch(`${anyOf(urls, random)}/api/v1/waitlist`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ type: 'human', case: 'to read', name, email: `${name}@example.com` }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
      .then(async (answer) => {
        count(`claim ${answer.status}`);
        const text = await answer.text();
        if (answer.status !== 200) return;
        const { status, position } = place.parse(JSON.parse(text));
        onClaimed(name, position, status === 'registered');
      })
      .catch(() => count('claim unanswered'));
  };
  setInterval(() => {
    claims += 1;
    claim(`claimant${claims}`);
    // One that was told its place gets the same again.
    if (claims % 3 === 0) claim(`claimant${Math.ceil(random() * claims)}`);
  }, CLAIM_EVERY_MS);
}
