import assert from 'node:assert/strict';
import fc from 'fast-check';
import { type AudienceKind, audienceOf } from '../../src/views/audience.ts';
import { createLatest } from '../../src/views/latest.ts';
import { isMoved, movedKeys, type RecordView } from '../../src/views/record-view.ts';
import { countersView } from '../../src/views/records/counters.ts';
import { cryptoView } from '../../src/views/records/crypto.ts';
import { lagView } from '../../src/views/records/lag.ts';
import { postsView } from '../../src/views/records/posts.ts';
import { predictionView } from '../../src/views/records/prediction.ts';
import { signalsView } from '../../src/views/records/signals.ts';
import { velocityView } from '../../src/views/records/velocity.ts';
import type { Output } from '../../streams/internal.ts';
import { accountPath } from '../support/accounts.ts';
import {
  bucket,
  countersOutput,
  eventOutput,
  lagOutput,
  NOON,
  postOutput,
  predictionOutput,
  priceOutput,
  scoreOutput,
  signalsOutput,
  spotOutput,
  velocityOutput,
} from '../support/outputs.ts';

const ACCOUNTS = ['a', 'b'] as const;
const viewsOf = (): readonly RecordView[] => [
  cryptoView(),
  ...ACCOUNTS.map((id) => accountPath(id)).flatMap((account) => [
    countersView(account),
    lagView(account),
    postsView(account),
    predictionView(account),
    predictionView(accountPath(account.id, { freeFields: ['velocity_all_1h', 'forecast', 'edge'] })),
    signalsView(account),
    velocityView(account),
  ]),
];
const VIEWS = viewsOf();

/** Events 1 to 3 are of posts, 1 and 3 of account a; 4 is of a coin. Few values, so that outputs often meet. */
const account = fc.constantFrom(...ACCOUNTS);
const eventId = fc.integer({ min: 1, max: 4 });
const small = fc.integer({ min: 0, max: 3 });
const accountOf = (id: number) => (id === 2 ? 'b' : 'a');
const ofEvent = fc.record({ eventId, value: small }).map(({ eventId: id, value }) => ({
  eventId: id,
  account: accountOf(id),
  value,
}));

function eventOf(id: number, phase: 'active' | 'closed', title: string): Output {
  return eventOutput({
    eventId: id,
    phase,
    buckets: [
      bucket({ yesToken: `yes-${id}`, title }),
      bucket({ yesToken: `above-${id}`, lo: 20, hi: null }),
    ],
    subject:
      id === 4
        ? { type: 'crypto', symbol: 'BTC', kind: 'UP_DOWN', referencePrice: null }
        : { type: 'posts', account: accountOf(id) },
  });
}

const anyOutput: fc.Arbitrary<Output> = fc.oneof(
  fc
    .tuple(eventId, fc.constantFrom('active', 'active', 'closed'), fc.constantFrom('0-19', 'under 20'))
    .map((event) => eventOf(...event)),
  ofEvent.map(({ value, ...event }) => countersOutput({ ...event, real: value, oracle: 3 - value })),
  ofEvent.map(({ value, ...event }) => predictionOutput({ ...event, p50: value })),
  ofEvent.map(({ value, ...event }) => signalsOutput({ ...event, p50: value })),
  ofEvent.map(({ value, eventId: id }) => priceOutput({ eventId: id, token: `yes-${id}`, price: value / 4 })),
  ofEvent.map(({ account: of, eventId: id }) => scoreOutput({ account: of, eventId: id })),
  fc.tuple(account, small).map(([of, counted1h]) => velocityOutput({ account: of, counted1h })),
  small.map((price) => spotOutput({ symbol: 'BTC', price })),
  fc
    .record({ account, id: fc.constantFrom('1', '2'), text: fc.constantFrom('x', 'y') })
    .map((fields) => postOutput({ ...fields, id: `${fields.account}${fields.id}` })),
  account.map((of) => lagOutput({ account: of })),
);

const audiencesOf = (kind: AudienceKind) =>
  kind === 'tier' ? [audienceOf(kind, 'PRO'), audienceOf(kind, 'FREE')] : [audienceOf(kind, 'PRO')];

/** What each audience sees of each record, by key. */
function renderingsOf(
  view: RecordView,
  latest: ReturnType<typeof createLatest>,
): ReadonlyMap<string, string> {
  const moment = { latest, late: [] };
  const instant = { nowMs: NOON, tickAt: NOON };
  return new Map(
    audiencesOf(view.audiences).flatMap((audience) =>
      view
        .keys(latest)
        .map(
          (key) => [`${audience.tier} ${key}`, view.render(moment, key, audience)?.(instant) ?? ''] as const,
        ),
    ),
  );
}

describe('a record view', () => {
  it('names every record that an output changes, appears or goes with, for the tier that sees it', () => {
    fc.assert(
      fc.property(fc.array(anyOutput, { minLength: 1, maxLength: 25 }), (outputs) => {
        const latest = createLatest();
        outputs.forEach((output, index) => {
          const before = VIEWS.map((view) => renderingsOf(view, latest));
          const placed = { ...output, seq: index + 1 };
          latest.apply([placed], placed.seq, NOON);
          VIEWS.forEach((view, place) => {
            const after = renderingsOf(view, latest);
            for (const name of new Set([...(before[place]?.keys() ?? []), ...after.keys()])) {
              if (before[place]?.get(name) === after.get(name)) continue;
              const [seenBy, key = ''] = name.split(' ');
              const tier = seenBy === 'PRO' ? 'PRO' : 'FREE';
              const moved = movedKeys(view, placed, latest, tier) ?? [];
              assert.ok(moved.includes(key), `${placed.stream} changed ${name} unannounced`);
              assert.ok(isMoved(view, placed, latest, tier), `${placed.stream} ${name}`);
            }
          });
        });
      }),
      { numRuns: 300 },
    );
  });

  it('renders what one renders that has rendered nothing before', () => {
    fc.assert(
      fc.property(fc.array(anyOutput, { minLength: 1, maxLength: 25 }), (outputs) => {
        const latest = createLatest();
        outputs.forEach((output, index) => {
          latest.apply([{ ...output, seq: index + 1 }], index + 1, NOON);
          const made = (views: readonly RecordView[]) => views.map((view) => [...renderingsOf(view, latest)]);
          assert.deepEqual(made(VIEWS), made(viewsOf()));
        });
      }),
    );
  });

  it('renders every key it lists, and nothing under other keys', () => {
    const latest = createLatest();
    latest.load([
      eventOutput({ eventId: 1, subject: { type: 'posts', account: 'a' } }),
      postOutput({ id: '5' }),
    ]);
    for (const view of VIEWS) {
      for (const audience of audiencesOf(view.audiences)) {
        for (const key of view.keys(latest)) assert.ok(view.render({ latest, late: [] }, key, audience));
      }
    }
    assert.equal(
      countersView(accountPath('b')).render({ latest, late: [] }, '1', audienceOf('everyone', 'PRO')),
      undefined,
    );
  });
});
