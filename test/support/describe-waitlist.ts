import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Store, WaitlistEntry } from '../../src/store/store.ts';

type WithStore = (use: (store: Store) => Promise<void>) => Promise<void>;

export function walletOf(n: number): string {
  return `0xab${n.toString(16).padStart(38, '0')}`;
}

export function agent(n: number): WaitlistEntry {
  return { type: 'agent', useCase: `case ${n}`, name: `agent ${n}`, wallet: walletOf(n), email: null };
}

export function human(email: string, wallet: string | null = null): WaitlistEntry {
  return { type: 'human', useCase: 'reading', name: null, wallet, email };
}

/** What the waitlist of every Store does. */
export function describeWaitlist(withStore: WithStore): void {
  describe('waitlist', () => {
    it('gives places from 1 on and the same place to the same wallet or email, whatever their case', () =>
      withStore(async ({ waitlist }) => {
        assert.deepEqual(await waitlist.claim(agent(1), 5), { position: 1, isNew: true });
        assert.deepEqual(await waitlist.claim(human('A@b.co'), 6), { position: 2, isNew: true });
        const shouted = { ...agent(1), wallet: `0x${walletOf(1).slice(2).toUpperCase()}` };
        assert.deepEqual(await waitlist.claim(shouted, 7), { position: 1, isNew: false });
        assert.deepEqual(await waitlist.claim(human('a@B.CO'), 8), { position: 2, isNew: false });
        assert.deepEqual(await waitlist.claim(agent(3), 9), { position: 3, isNew: true });
        assert.deepEqual(
          [...waitlist.list()],
          [
            { ...agent(1), position: 1, at: 5 },
            { ...human('A@b.co'), position: 2, at: 6 },
            { ...agent(3), position: 3, at: 9 },
          ],
        );
      }));

    it('remembers an email under the place of the wallet sent with it', () =>
      withStore(async ({ waitlist }) => {
        await waitlist.claim(agent(1), 1);
        await waitlist.claim(human('b@b.co'), 1);
        assert.deepEqual(await waitlist.claim(human('a@b.co', walletOf(1)), 2), {
          position: 1,
          isNew: false,
        });
        assert.deepEqual(await waitlist.claim(human('a@b.co'), 3), { position: 1, isNew: false });
        assert.equal((await waitlist.claim(human('b@b.co', walletOf(1)), 4)).position, 1);
        assert.equal((await waitlist.claim(human('b@b.co'), 5)).position, 2);
        assert.equal([...waitlist.list()].length, 2);
      }));

    it('gives dense places that never move to concurrent callers', () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(fc.nat({ max: 12 }), { maxLength: 20 }), { maxLength: 4 }),
          (rounds) =>
            withStore(async ({ waitlist }) => {
              const given = new Map<number, number>();
              for (const round of rounds) {
                const places = await Promise.all(round.map((n) => waitlist.claim(agent(n), 0)));
                for (const [index, n] of round.entries()) {
                  const { position = 0, isNew } = places[index] ?? {};
                  assert.equal(given.get(n) ?? position, position);
                  assert.equal(isNew, !given.has(n));
                  given.set(n, position);
                }
              }
              assert.deepEqual(
                [...given.values()].sort((a, b) => a - b),
                Array.from({ length: given.size }, (_, index) => index + 1),
              );
            }),
        ),
        { numRuns: 15 },
      ));
  });
}
