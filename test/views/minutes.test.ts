import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type MinutesQuestion, readMinutes } from '../../src/views/minutes.ts';
import { MINUTE_MS, type Output } from '../../streams/internal.ts';
import { createMemoryStore } from '../support/memory-store/memory-store.ts';
import { minuteOutput, NOON } from '../support/outputs.ts';

type MinuteOutput = ReturnType<typeof minuteOutput>;

/** Each list of events has a tick at so many seconds after the last one, at which all of them are sampled. */
async function stored(ticks: readonly { readonly after: number; readonly events: readonly number[] }[]) {
  const store = createMemoryStore();
  const rows: MinuteOutput[] = [];
  let at = NOON;
  for (const [index, { after, events }] of ticks.entries()) {
    at += after * 1_000;
    const seq = index + 1;
    await store.journal.append([{ seq, receivedAt: at, fact: { kind: 'tick', ages: {} } }]);
    const outputs = events.map((eventId) => minuteOutput({ eventId, at }, { seq, at }));
    await store.outputs.append(outputs satisfies readonly Output[], seq);
    rows.push(...outputs);
  }
  return { store, rows, lastSeq: ticks.length };
}

/** The last of each step, in the plainest way. */
function expected(rows: readonly MinuteOutput[], { eventId, fromAt, toAt, stepMs, limit }: MinutesQuestion) {
  const steps = new Map<number, number>();
  for (const { record } of rows) {
    if (record.eventId !== eventId || record.at < fromAt || record.at >= toAt) continue;
    steps.set(Math.floor(record.at / stepMs), record.at);
  }
  const all = [...steps.values()];
  return { at: all.slice(-limit), hasOlder: all.length > limit };
}

describe('readMinutes', () => {
  const anyTick = fc.record({
    after: fc.constantFrom(0, 1, 55, 60, 65, 3_600),
    events: fc.uniqueArray(fc.nat({ max: 90 }), { maxLength: 90 }),
  });

  it('finds the last minute of each step, the newest ones, whatever other events there are', () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(anyTick, { maxLength: 60 }),
        fc.constantFrom(1, 2, 60),
        fc.integer({ min: 1, max: 10 }),
        fc.nat({ max: 7_200 }),
        fc.nat({ max: 80_000 }),
        async (ticks, minutes, limit, from, length) => {
          const { store, rows, lastSeq } = await stored(ticks);
          const fromAt = NOON + from * 1_000;
          const question = {
            ...{ eventId: 7, stepMs: minutes * MINUTE_MS, limit, firstSeq: 1, lastSeq },
            ...{ fromAt, toAt: fromAt + length * 1_000 },
          };
          const found = await readMinutes(store, question);
          assert.deepEqual(
            { at: found.minutes.map(({ record }) => record.at), hasOlder: found.hasOlder },
            expected(rows, question),
          );
        },
      ),
      { numRuns: 200 },
    ));

  it('finds nothing of an event that never had one, and nothing that is not kept or not published', async () => {
    const { store } = await stored([
      { after: 0, events: [1] },
      { after: 60, events: [1] },
      { after: 60, events: [1] },
    ]);
    const question = { fromAt: 0, toAt: 2 * NOON, stepMs: MINUTE_MS, limit: 10, firstSeq: 2, lastSeq: 2 };
    assert.deepEqual(await readMinutes(store, { ...question, eventId: 2 }), { minutes: [], hasOlder: false });
    const { minutes } = await readMinutes(store, { ...question, eventId: 1 });
    assert.deepEqual(
      minutes.map(({ seq }) => seq),
      [2],
    );
  });
});
