import assert from 'node:assert/strict';
import { DAY_MS, decodeState, emptyState, encodeState, type Fact } from '../../streams/internal.ts';
import { event, log, post, quote, settings, tick } from '../support/facts.ts';
import { ofStream, records, run, runInParts } from './pipelines/run.ts';

const book = (eventId: number, bid: number): Fact => ({
  kind: 'prices',
  eventId,
  quotes: [quote({ bid, ask: 0.9 })],
});
/** As a bug at the border would let it through: no type stops it, so an actor stumbles over it. */
const broken: Fact = JSON.parse('{"kind":"prices","eventId":1,"quotes":null}');
const brokenSpot: Fact = JSON.parse('{"kind":"spot","ticks":[{"symbol":"X","price":1,"at":1},null]}');
const spot: Fact = { kind: 'spot', ticks: [{ symbol: 'X', price: 1, at: 1 }] };
const NOW = 30 * DAY_MS;

const facts: Fact[] = [
  settings(),
  event({ startAt: NOW - DAY_MS, endAt: NOW + DAY_MS }),
  { kind: 'coverage', account: 'a', fromAt: 0 },
  book(1, 0.1),
  book(2, 0.1),
  broken,
  book(1, 0.2),
  book(2, 0.2),
  broken,
  post({ createdAt: NOW }),
  tick(),
];
const story = log(...facts.map((fact, index) => [NOW + index, fact] as const));

describe('failures', () => {
  it('reports an actor that fails once, at the observation it failed at', () => {
    const message = ofStream(run(story), 'failures')[0]?.record.message ?? '';
    assert.match(message, /quotes|iterable|null/);
    assert.deepEqual(ofStream(run(story), 'failures'), [
      {
        stream: 'failures',
        key: 'prices:1',
        seq: 6,
        at: NOW + 5,
        cause: 'failure',
        record: { actor: 'prices:1', message },
      },
    ]);
  });

  it('lets every other actor go on', () => {
    const outputs = run(story);
    assert.deepEqual(
      records(outputs, 'prices').map(({ eventId, bid }) => [eventId, bid]),
      [
        [1, 0.1],
        [2, 0.1],
        [2, 0.2],
      ],
    );
    assert.equal(records(outputs, 'counters').at(-1)?.real, 1);
    assert.equal(records(outputs, 'velocity').at(-1)?.all1h, 1);
    assert.equal(records(outputs, 'freshness').length, 1);
  });

  it('keeps the actor out of service over every stop and start, without a second report', () => {
    const places = story.map((_, index) => index);
    assert.equal(JSON.stringify(runInParts(story, places)), JSON.stringify(run(story)));
  });

  it('is in the checkpoint until the graph is rebuilt', () => {
    const state = emptyState();
    run(story, state);
    assert.equal(decodeState(encodeState(state)).prices.get('1'), null);
    assert.equal(records(run(log([NOW, book(1, 0.3)]), emptyState()), 'prices').length, 1);
  });

  it('survives an observation that no pipeline can address', () => {
    const outputs = run(log([NOW, brokenSpot], [NOW + 1, spot], [NOW + 2, tick()]));
    assert.deepEqual(
      ofStream(outputs, 'failures').map(({ key, seq }) => [key, seq]),
      [['spot', 1]],
    );
    assert.equal(records(outputs, 'spot').length, 1);
  });
});
