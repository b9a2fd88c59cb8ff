import fc from 'fast-check';
import type { Fact, Observation, Output } from '../../streams/internal.ts';
import { postOutput, velocityAt } from './store-records.ts';

const anyText = fc.string({ unit: 'binary', maxLength: 40 });
/** Halves of a pair must survive as well as any other text. */
const anyRoughText = fc.oneof(anyText, fc.constantFrom('\ud800', 'a\udfffb', '\u0000', '"\\\n', ''));

export const anyFact: fc.Arbitrary<Fact> = fc.oneof(
  fc.record(
    {
      kind: fc.constant('tick' as const),
      ages: fc.dictionary(fc.constantFrom('posts:a', 'events'), fc.nat(), { noNullPrototype: true }),
    },
    { noNullPrototype: true },
  ),
  fc.record(
    { kind: fc.constant('post_gone' as const), account: fc.constantFrom('a', 'b'), id: anyRoughText },
    { noNullPrototype: true },
  ),
  fc.record(
    { kind: fc.constant('ui' as const), eventId: fc.nat(), count: fc.option(fc.nat()) },
    { noNullPrototype: true },
  ),
);

/** Blocks whose seqs run on from 1. */
export const anyBlocks: fc.Arbitrary<Observation[][]> = fc
  .array(
    fc.array(fc.tuple(fc.nat(), anyFact, fc.option(fc.nat(), { freq: 5 })), { minLength: 1, maxLength: 6 }),
    { maxLength: 12 },
  )
  .map((blocks) => {
    let seq = 0;
    return blocks.map((rows) =>
      rows.map(([receivedAt, fact, aheadMs]) => ({
        seq: ++seq,
        receivedAt,
        ...(aheadMs !== null && { aheadMs }),
        fact,
      })),
    );
  });

/** Turns of the engine: each brings the mark forward and outputs of the seqs in between. */
export const anyTurns: fc.Arbitrary<{ upTo: number; outputs: Output[] }[]> = fc
  .array(
    fc.record({
      observations: fc.integer({ min: 1, max: 3 }),
      emitted: fc.array(
        fc.record({
          stream: fc.constantFrom('posts', 'velocity', 'freshness'),
          key: fc.oneof(fc.constantFrom('a', 'b', '7'.repeat(78)), anyRoughText),
          step: fc.nat({ max: 2 }),
          text: anyRoughText,
        }),
        { maxLength: 8 },
      ),
    }),
    { maxLength: 8 },
  )
  .map((turns) => {
    let mark = 0;
    return turns.map(({ observations, emitted }) => {
      const from = mark + 1;
      mark += observations;
      const outputs = emitted.map(({ stream, key, step, text }) => {
        const seq = Math.min(from + step, mark);
        const common = { key, seq, at: seq, cause: 'clock' as const };
        if (stream === 'freshness') {
          const listedAt = { posts: null, crypto: null };
          return { ...common, stream, record: { ages: { events: step }, stale: [], listedAt } } as const;
        }
        if (stream === 'posts') return { ...postOutput(seq, '1', 0, text), ...common } as Output;
        return { ...velocityAt(seq, key), ...common } as Output;
      });
      return { upTo: mark, outputs };
    });
  });
