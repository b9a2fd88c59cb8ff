import * as z from 'zod';
import { walletOf } from '../support/describe-waitlist.ts';
import type { Chance } from './chance.ts';
import type { ClaimedPlaces } from './claimed-places.ts';

interface ClaimantOptions {
  readonly url: string;
  readonly random: Chance;
  readonly places: Pick<ClaimedPlaces, 'onTold'>;
  /** How many times more seldom than usual places are claimed now. */
  readonly slowness: () => number;
}

const EVERY_MS = 30_000;
const TIMEOUT_MS = 5_000;
const placeShape = z.object({ position: z.int() });

/** Claims places on the waitlist, some of them again and again. */
export function startClaimant({ url, random, places, slowness }: ClaimantOptions): void {
  let claimed = 0;
  let passed = 0;

  async function claim(wallet: string) {
    const answer = await fetch(`${url}/api/v1/waitlist`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ type: 'agent', case: 'trading', name: 'bot', wallet }),
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return { isTaken: answer.status === 200, text: await answer.text() };
  }

  setInterval(() => {
    passed += 1;
    if (passed < slowness()) return;
    passed = 0;
    const isAgain = claimed > 0 && random() < 0.4;
    const wallet = walletOf(isAgain ? 1 + Math.floor(random() * claimed) : ++claimed);
    claim(wallet).then(
      ({ isTaken, text }) => {
        if (isTaken) places.onTold(wallet, placeShape.parse(JSON.parse(text)).position);
      },
      // There is no service for a while after a kill.
      () => undefined,
    );
  }, EVERY_MS);
}
