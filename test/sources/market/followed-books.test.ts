import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { BookEvent } from '../../../src/sources/market/book-payload.ts';
import { createFollowedBooks, PARTS_OF_ROUND } from '../../../src/sources/market/followed-books.ts';
import { collect, fakeLookups } from '../../support/source-run.ts';

const PARTS = Array.from({ length: PARTS_OF_ROUND }, (_, part) => part);

/** Two tokens of each of so many events. */
function openBooks(events: number) {
  const clock = { now: 0 };
  const { context } = collect(
    fakeLookups(),
    () => clock.now,
    () => clock.now,
  );
  const books = createFollowedBooks(context);
  const tokens = Array.from({ length: events }, (_, event) => [`${event} yes`, `${event} other`]);
  books.follow(new Map(tokens.flatMap((ids, event) => ids.map((id) => [id, event] as const))));
  const tell = (event: number, bid: number) => {
    clock.now += 1;
    for (const id of tokens[event] ?? []) books.apply(bookOf(id, bid));
  };
  return { books, tell };
}

function bookOf(id: string, bid: number): BookEvent {
  const bids = [{ price: bid / 1_000, size: 5 }];
  return { event_type: 'book', asset_id: id, bids, asks: [], timestamp: null, last_trade_price: null };
}

describe('createFollowedBooks', () => {
  it('gives every change once in a round, and when it was heard of with it', () =>
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.array(fc.tuple(fc.nat({ max: 299 }), fc.integer({ min: 1, max: 999 })), { maxLength: 60 }),
        (events, changes) => {
          const { books, tell } = openBooks(events);
          const newest = new Map<string, number>();
          for (const [given, bid] of changes) {
            const event = given % events;
            tell(event, bid);
            for (const kind of ['yes', 'other']) newest.set(`${event} ${kind}`, bid / 1_000);
          }
          const bids = new Map<string, number | null>();
          for (const part of PARTS) {
            const quotes = books.take(part).flatMap((fact) => fact.quotes);
            for (const { token, bid } of quotes) {
              assert.ok(!bids.has(token), `${token} comes twice`);
              bids.set(token, bid);
            }
            assert.deepEqual(
              Object.keys(books.takeHeard(part)).sort(),
              quotes.map(({ token }) => token).sort(),
            );
          }
          assert.deepEqual(bids, new Map([...newest].filter(([token]) => bids.has(token))));
          assert.equal(bids.size, newest.size);
          for (const part of PARTS) assert.deepEqual([books.take(part), books.takeHeard(part)], [[], {}]);
        },
      ),
    ));

  it('has few events in the first part alone, and spreads many', () => {
    const partsOf = (events: number) => PARTS.filter((part) => openBooks(events).books.has(part));
    assert.deepEqual(partsOf(0), []);
    assert.deepEqual(partsOf(20), [0]);
    assert.deepEqual(partsOf(21), [0, 1]);
    const { books, tell } = openBooks(600);
    for (let event = 0; event < 600; event++) tell(event, 1);
    assert.deepEqual(
      PARTS.map((part) => books.take(part).length),
      [120, 120, 120, 120, 120],
    );
  });
});
