import assert from 'node:assert/strict';
import fc from 'fast-check';
import { shrinkList } from './shrink-list.ts';

const items = fc.uniqueArray(fc.nat(200), { maxLength: 40 });

/** Fails for some lists and not for others, without any order among them. */
const oddPredicate = fc.func(fc.boolean()).map(
  (draw) =>
    (whole: readonly number[]) =>
    (some: readonly number[]): boolean =>
      some.length === whole.length || draw([...some]),
);

describe('shrinkList', () => {
  it('finds the items that fail together', () =>
    fc.assert(
      fc.asyncProperty(items, fc.func(fc.boolean()), async (all, isNeeded) => {
        const needed = all.filter((item) => isNeeded(item));
        const fails = async (some: readonly number[]) => needed.every((item) => some.includes(item));
        assert.deepEqual(await shrinkList(all, fails), { items: needed, isMinimal: true });
      }),
    ));

  it('finds a list that fails and of which no item can be left out, whatever fails', () =>
    fc.assert(
      fc.asyncProperty(items, oddPredicate, async (all, predicate) => {
        const fails = predicate(all);
        const shrunk = await shrinkList(all, async (some) => fails(some));
        assert.ok(fails(shrunk.items) && shrunk.isMinimal);
        shrunk.items.forEach((_, at) => {
          assert.ok(!fails(shrunk.items.toSpliced(at, 1)), `${shrunk.items[at]} can be left out`);
        });
        assert.deepEqual(
          shrunk.items,
          all.filter((item) => shrunk.items.includes(item)),
        );
      }),
    ));

  it('asks no more than it may, and gives what failed so far', () =>
    fc.assert(
      fc.asyncProperty(items, oddPredicate, fc.nat(20), async (all, predicate, most) => {
        const fails = predicate(all);
        let asked = 0;
        const counted = async (some: readonly number[]) => {
          asked += 1;
          return fails(some);
        };
        const shrunk = await shrinkList(all, counted, () => asked < most);
        assert.ok(asked <= most && fails(shrunk.items));
        if (!shrunk.isMinimal) assert.equal(asked, most);
      }),
    ));

  it('asks a few times only for one item of many', async () => {
    let asked = 0;
    const fails = async (some: readonly number[]) => {
      asked += 1;
      return some.includes(77);
    };
    const { items } = await shrinkList(
      Array.from({ length: 128 }, (_, at) => at),
      fails,
    );
    assert.deepEqual(items, [77]);
    assert.ok(asked <= 20, String(asked));
  });
});
