import assert from 'node:assert/strict';
import { pino } from 'pino';
import { parseConfig } from '../../src/config/config.ts';
import { tellCost } from '../../src/service/posts-cost.ts';
import { createLatest } from '../../src/views/latest.ts';
import { DAY_MS } from '../../streams/internal.ts';
import { NOON, postOutput } from '../support/outputs.ts';

interface Line {
  readonly level: number;
  readonly msg: string;
  readonly account?: string;
  readonly postsPerDay?: number | null;
  readonly usdPerDay?: number | null;
  readonly usdPer100Posts?: number;
  readonly requestsPerDay?: number;
}

describe('tellCost', () => {
  /** What is logged of an account A that made `posts` posts in its last week. */
  function told(flags: Record<string, string>, posts = 0): readonly Line[] {
    const lines: Line[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const latest = createLatest();
    latest.load(
      Array.from({ length: posts }, (_, index) =>
        postOutput({ id: String(index + 1), createdAt: NOON - (index * 6 * DAY_MS) / posts }),
      ),
    );
    latest.load([postOutput({ account: 'b', id: '9', createdAt: NOON - 20 * DAY_MS })]);
    const config = parseConfig({ flags, env: {} });
    tellCost({ config, latest, clock: { wall: () => NOON, mono: () => 0 }, log });
    return lines;
  }

  it('tells for each account what its posts a day will cost at the price that is set', () => {
    const [a, b, ...rest] = told({ postsReadPrice: '5' }, 560);
    assert.deepEqual(rest, []);
    assert.deepEqual([a?.account, a?.postsPerDay, a?.requestsPerDay], ['account_a', 80, 86_400]);
    assert.equal(a?.usdPerDay, 6);
    assert.deepEqual([b?.account, b?.postsPerDay, b?.usdPerDay], ['account_b', 0, 0]);
    assert.equal(told({ postsReadPrice: '10' }, 560)[0]?.usdPerDay, 12);
  });

  it('tells the price of a hundred posts while it does not know how many there are', () => {
    const [a] = told({});
    assert.deepEqual([a?.postsPerDay, a?.usdPerDay, a?.usdPer100Posts], [null, null, 7.5]);
  });

  it('warns that the oracle’s list is late when posts are read from it, which costs nothing', () => {
    const lines = told({ postsFrom: 'oracle_list' });
    assert.deepEqual(
      lines.map(({ level, msg }) => [level, msg]),
      [[40, "posts are read from the oracle's list, which is free but minutes late"]],
    );
  });
});
