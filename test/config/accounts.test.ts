import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { AccountConfig } from '../../src/config/accounts.ts';
import { type ConfigInput, parseConfig } from '../../src/config/config.ts';
import { toPolling } from '../../src/config/polling.ts';
import { PAID_FIELDS } from '../../src/contract/account.ts';
import { ConfigError } from '../../src/errors.ts';
import { USUAL_RULE } from '../../streams/internal.ts';

const parse = (input: Partial<ConfigInput>) => parseConfig({ flags: {}, env: {}, ...input });
const listed = (...accounts: readonly unknown[]) => parse({ file: { accounts } }).accounts;

function faultsOf(input: Partial<ConfigInput>): readonly string[] {
  try {
    parse(input);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`);
  }
  return [];
}
const faultsOfList = (...accounts: readonly unknown[]) => faultsOf({ file: { accounts } });

function byId(accounts: readonly AccountConfig[], id: string): AccountConfig {
  const found = accounts.find((account) => account.id === id);
  assert.ok(found, id);
  return found;
}

describe('accounts', () => {
  it('are by default the two of the specification', () => {
    const [a, b, ...others] = parse({}).accounts;
    assert.deepEqual(others, []);
    assert.deepEqual(a, {
      id: 'a',
      segment: 'account_a',
      name: 'Account A',
      policy: {
        hasVelocity: true,
        hasSizing: true,
        hasRebalancing: true,
        isBuyOnly: false,
        freeFields: [],
      },
      rule: USUAL_RULE,
      staleAfterMs: parse({}).staleAfterMs,
      prior: null,
      polling: toPolling(undefined, 1_000),
      provider: {
        handle: undefined,
        userId: undefined,
        platform: undefined,
        oracleId: undefined,
        seriesSlugs: undefined,
        slugPrefixes: undefined,
        postsFrom: undefined,
      },
    });
    assert.deepEqual(b, {
      ...a,
      id: 'b',
      segment: 'account_b',
      name: 'Account B',
      policy: {
        hasVelocity: false,
        hasSizing: false,
        hasRebalancing: false,
        isBuyOnly: true,
        freeFields: [],
      },
    });
  });

  it('can be any number of made-up ones, named like the columns of a spreadsheet', () => {
    const { accounts, world } = parse({ flags: { accounts: '703' } });
    const at = (index: number) => accounts[index];
    assert.equal(accounts.length, 703);
    assert.deepEqual([at(2)?.id, at(2)?.segment, at(2)?.name], ['c', 'account_c', 'Account C']);
    assert.deepEqual(
      [25, 26, 27, 701, 702].map((index) => at(index)?.id),
      ['z', 'aa', 'ab', 'zz', 'aaa'],
    );
    assert.deepEqual(world, { type: 'embedded', seed: 1, accounts: 703, speed: 1 });
    assert.deepEqual(parse({ env: { TALLYWIRE_ACCOUNTS: '1' } }).accounts.length, 1);
  });

  it('have the policy of account A unless they are told otherwise', () => {
    const accounts = listed(
      { id: 'a' },
      { id: 'b' },
      { id: 'c' },
      { id: 'd', policy: { isBuyOnly: true, hasSizing: false, freeFields: ['forecast'] } },
    );
    const { policy } = byId(accounts, 'a');
    assert.deepEqual(byId(accounts, 'c').policy, policy);
    assert.deepEqual(byId(accounts, 'd').policy, {
      ...policy,
      isBuyOnly: true,
      hasSizing: false,
      freeFields: ['forecast'],
    });
    assert.deepEqual(accounts.slice(0, 2), parse({}).accounts);
  });

  it('take everything from their entry', () => {
    const [account] = listed({
      id: 'someone',
      segment: 'some-one',
      name: 'Some One',
      handle: 'someone_1',
      userId: '123',
      platform: 'P',
      oracleId: 'one',
      seriesSlugs: ['someone-posts'],
      slugPrefixes: ['someone-of-'],
      postsFrom: 'oracle_list',
      rule: { otherReplies: true },
      staleSeconds: { posts: 90, prices: 30 },
      prior: { postsPerDay: 25.5, days: 14 },
      polling: { fastestSeconds: 2, slowestSeconds: 60 },
    });
    assert.deepEqual(account, {
      id: 'someone',
      segment: 'some-one',
      name: 'Some One',
      policy: byId(parse({}).accounts, 'a').policy,
      rule: { ...USUAL_RULE, otherReplies: true },
      staleAfterMs: { ...parse({}).staleAfterMs, posts: 90_000, prices: 30_000 },
      prior: { postsPerDay: 25.5, days: 14 },
      polling: toPolling({ fastestSeconds: 2, slowestSeconds: 60 }, 1_000),
      provider: {
        handle: 'someone_1',
        userId: '123',
        platform: 'P',
        oracleId: 'one',
        seriesSlugs: ['someone-posts'],
        slugPrefixes: ['someone-of-'],
        postsFrom: 'oracle_list',
      },
    });
  });

  it('are stale later when they are polled more slowly, unless their entry says when', () => {
    const stale = (entry: object) => listed({ id: 'x', ...entry })[0]?.staleAfterMs.posts;
    assert.equal(stale({}), 10_000);
    assert.equal(stale({ polling: { slowestSeconds: 60 } }), 120_000);
    assert.equal(stale({ polling: { slowestSeconds: 60 }, staleSeconds: { posts: 90 } }), 90_000);
  });

  it('have a name for people that follows from the segment', () => {
    const names = listed({ id: 'a', segment: 'some_one-else' }, { id: 'b', segment: '__' });
    assert.deepEqual(
      names.map(({ name }) => name),
      ['Some One Else', '__'],
    );
  });

  it('of the specification keep their own settings for segments, also in a list', () => {
    const list = [{ id: 'b' }, { id: 'a', segment: 'x' }];
    const env = { TALLYWIRE_ACCOUNT_A: 'first', TALLYWIRE_ACCOUNT_B: 'second' };
    assert.deepEqual(
      parse({ env, file: { accounts: list } }).accounts.map(({ segment }) => segment),
      ['second', 'first'],
    );
    assert.deepEqual(faultsOf({ env, file: { accounts: [{ id: 'a' }] } }), [
      "TALLYWIRE_ACCOUNT_B: expected no segment, as there is no account b, found 'second'",
    ]);
  });

  it('report every fault of their list at once, each with its place', () => {
    const faults = faultsOfList(
      {
        id: 'a',
        segment: 'crypto',
        polcy: {},
        policy: { isBuyOnly: 'perhaps', hasSizng: true, freeFields: ['all'] },
      },
      { id: 'A', handle: 'who?', rule: { replies: true }, staleSeconds: { posts: 0 } },
      'c',
      { segment: 'x' },
      { id: 'e', seriesSlugs: [], prior: { postsPerDay: -1, days: 1 }, userId: 5 },
      { segment: '?', prior: { days: 3, rate: 5 } },
      { id: 'g', polling: { fastestSeconds: 5, slowestSeconds: 2 } },
      { id: 'h', polling: { slowestSeconds: 60 }, staleSeconds: { posts: 60 } },
      { id: 'i', staleSeconds: { posts: 1 } },
      { id: 'b', policy: { freeFields: ['forecast', 'velocity_all_1h'] } },
      { id: 'j', postsFrom: 'elsewhere', polling: { fastestSeconds: 0, nearPosts: -1 } },
    );
    assert.deepEqual(faults.toSorted(), [
      'config file: accounts[0].polcy: unknown setting, did you mean policy',
      `config file: accounts[0].policy.freeFields: expected a list of some of ${PAID_FIELDS.join(', ')}, each once, found [ 'all' ]`,
      'config file: accounts[0].policy.hasSizng: unknown setting, did you mean hasSizing',
      "config file: accounts[0].policy.isBuyOnly: expected true or false, found 'perhaps'",
      "config file: accounts[0].segment: expected up to 64 letters, digits, _ and -, and not crypto, found 'crypto'",
      'config file: accounts[10].polling.fastestSeconds: expected an integer from 1 to 3600, found 0',
      'config file: accounts[10].polling.nearPosts: expected an integer from 0 to 1000, found -1',
      "config file: accounts[10].postsFrom: expected one of timeline, oracle_list, found 'elsewhere'",
      "config file: accounts[1].handle: expected up to 100 letters, digits, ., _ and -, found 'who?'",
      "config file: accounts[1].id: expected up to 32 small letters, digits, _ and -, found 'A'",
      'config file: accounts[1].rule.replies: unknown setting',
      'config file: accounts[1].staleSeconds.posts: expected an integer from 1 to 86400, found 0',
      /^config file: accounts\[2\]: expected an object with id, segment, .*, found 'c'$/.exec(
        faults.find((each) => each.includes('[2]')) ?? '',
      )?.[0],
      'config file: accounts[3].id: expected up to 32 small letters, digits, _ and -, found nothing',
      'config file: accounts[4].prior.postsPerDay: expected counted posts a day, more than 0 and at most 10000, found -1',
      'config file: accounts[4].seriesSlugs: expected a list of series of events, each of up to 100 letters, digits, _ and -, found []',
      'config file: accounts[4].userId: expected the number of the user, as a text of digits, found 5',
      'config file: accounts[5].id: expected up to 32 small letters, digits, _ and -, found nothing',
      'config file: accounts[5].prior.postsPerDay: expected counted posts a day, more than 0 and at most 10000, found nothing',
      'config file: accounts[5].prior.rate: unknown setting',
      "config file: accounts[5].segment: expected up to 64 letters, digits, _ and -, and not crypto, found '?'",
      'config file: accounts[6].polling.slowestSeconds: expected no less than the usual 5 s, found 2',
      'config file: accounts[7].polling.slowestSeconds: expected less than the 60 s after which posts are stale, found 60',
      'config file: accounts[8].staleSeconds.posts: expected more than the 1 s between two looks for posts, found 1',
      "config file: accounts[9].policy.freeFields: expected no velocity, as the account has none, found 'forecast, velocity_all_1h'",
    ]);
  });

  it('share no id, segment, handle, user or name', () => {
    const whole = { handle: 'h', userId: '1', name: 'N' };
    assert.deepEqual(
      faultsOfList(
        { id: 'a', ...whole },
        { id: 'a', handle: 'H', segment: 'x' },
        { id: 'c', userId: '1', name: 'n', segment: 'Account_A' },
        { id: 'd', segment: 'account_e' },
        { id: 'e' },
      ).toSorted(),
      [
        "config file: accounts[1].handle: expected another handle than that of account a, found 'H'",
        "config file: accounts[1].id: expected another id than that of account a, found 'a'",
        "config file: accounts[2].name: expected another name than that of account a, found 'n'",
        "config file: accounts[2].segment: expected another segment than that of account a, found 'Account_A'",
        "config file: accounts[2].userId: expected another userId than that of account a, found '1'",
        "config file: accounts[3].segment: expected another segment than that of account e, found 'account_e'",
      ],
    );
  });

  it('share no series and no beginning of slugs, as an event is about one of them', () => {
    assert.deepEqual(
      faultsOfList(
        { id: 'a', seriesSlugs: ['x', 'x', 'y'], slugPrefixes: ['y'] },
        { id: 'b', seriesSlugs: ['z', 'y'] },
        { id: 'c', slugPrefixes: ['y', 'z'] },
      ),
      [
        "config file: accounts[1].seriesSlugs[1]: expected another slug than that of account a, found 'y'",
        "config file: accounts[2].slugPrefixes[0]: expected another slug than that of account a, found 'y'",
      ],
    );
  });

  it('are read from their timeline only where that can be read', () => {
    const file = { accounts: [{ id: 'a' }, { id: 'b', postsFrom: 'timeline' }] };
    const live = (env: Readonly<Record<string, string>>) => faultsOf({ flags: { world: 'live' }, env, file });
    assert.deepEqual(live({}), [
      "config file: accounts[1].postsFrom: expected oracle_list, as the timeline of the live world cannot be read without a token, found 'timeline'",
    ]);
    assert.equal(parse({ file }).accounts[1]?.provider.postsFrom, 'timeline');
    const env = { TALLYWIRE_POSTS_TOKEN: 'token' };
    assert.equal(parse({ flags: { world: 'live' }, env, file }).accounts.length, 2);
  });

  it('are a number or a list, and nothing else', () => {
    const expected = 'expected a number from 1 to 1000, or in the config file a list of accounts, found';
    assert.deepEqual(faultsOf({ flags: { accounts: '0' } }), [`--accounts: ${expected} '0'`]);
    assert.deepEqual(faultsOf({ env: { TALLYWIRE_ACCOUNTS: '[]' } }), [
      `TALLYWIRE_ACCOUNTS: ${expected} '[]'`,
    ]);
    assert.deepEqual(faultsOf({ file: { accounts: [] } }), [`config file: accounts: ${expected} []`]);
  });

  it('show everyone each field once', () => {
    const twice = ['forecast', 'edge', 'forecast'];
    const [fault] = faultsOfList({ id: 'a', policy: { freeFields: twice } });
    assert.match(fault ?? '', /freeFields: expected a list of some of .*, each once, found \[/);
  });

  it('never throw anything but their faults, whatever the list holds', () => {
    const key = fc.oneof(fc.constantFrom('id', 'segment', 'policy', 'prior', 'polling', 'rule'), fc.string());
    const entry = fc.oneof(fc.dictionary(key, fc.anything()), fc.anything());
    fc.assert(
      fc.property(fc.array(entry, { minLength: 1, maxLength: 4 }), (accounts) => {
        try {
          assert.equal(listed(...accounts).length, accounts.length);
        } catch (error) {
          assert.ok(error instanceof ConfigError, String(error));
          for (const { loc, msg } of error.faults) {
            assert.match(String(loc[0]), /^config file: accounts/);
            assert.doesNotMatch(msg, /\n/);
          }
        }
      }),
      { numRuns: 200 },
    );
  });
});
