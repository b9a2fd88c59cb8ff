import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AccountId, DAY_MS } from '../../streams/internal.ts';
import { runMain } from '../cli/run-main.ts';
import { CALLER, readMeta } from '../support/api.ts';
import { eventually } from '../support/eventually.ts';
import { accountOutputs, onlyAccounts } from '../support/only-accounts.ts';
import { readLog } from '../support/recorded-service.ts';
import { openStage, type Stage } from '../support/service.ts';

/** A Wednesday. */
const START_AT = Date.parse('2026-11-04T15:00:00Z');
/** The week before, and the month that is open for a part of it. */
const HISTORY_DAYS = 9;

describe('a change of the accounts', function () {
  this.timeout(600_000);
  let stage: Stage;
  before(async () => {
    stage = await openStage({ startAt: START_AT, historyDays: HISTORY_DAYS, flags: { accounts: '1' } });
  });
  after(() => stage.close());

  async function areCountsKnown(account: string): Promise<boolean> {
    // A caller without a key has a hundred requests an hour, and a slow machine is asked more often.
    const { ok } = await fetch(`${stage.url()}/api/v1/meta/${account}`, CALLER);
    if (!ok) return false;
    const { data } = await readMeta(stage.url(), account);
    return data.some(({ real_counter, market_oracle_counter }) => {
      return real_counter !== null && market_oracle_counter !== null;
    });
  }
  const accountsNow = async () => {
    const { data } = Object(await (await fetch(`${stage.url()}/api/v1/accounts`)).json());
    return data.map(({ account }: { readonly account: string }) => account);
  };

  it('is a start with another list on the same folder, and leaves the log of all of them', async () => {
    await eventually('the first account is counted', () => areCountsKnown('account_a'));
    assert.deepEqual(await accountsNow(), ['account_a']);
    const stranger = await fetch(`${stage.url()}/api/v1/meta/account_b`);
    assert.deepEqual([stranger.status, Object(await stranger.json()).accounts], [404, ['account_a']]);

    await stage.restart({ accounts: '2' });
    await eventually('the new account is read back and counted', () => areCountsKnown('account_b'));
    await eventually('and so is the first', () => areCountsKnown('account_a'));
    assert.deepEqual(await accountsNow(), ['account_a', 'account_b']);

    await stage.restart({ accounts: '1' });
    await eventually('the first account goes on', () => areCountsKnown('account_a'));
    assert.equal((await fetch(`${stage.url()}/api/v1/meta/account_b`)).status, 404);
  });

  it('leaves what was logged of the removed one to tap, replay and export', async () => {
    const data = ['--data', stage.data];
    const tapped = await runMain(['tap', 'velocity', '--once', '--account', 'b', '--accounts', '1', ...data]);
    assert.equal(JSON.parse(tapped.stdout).record.account, 'b');
    const replayed = await runMain(['replay', '--stream', 'posts', ...data]);
    const posts = replayed.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).record)
      .filter(({ account }) => account === 'b');
    const read = posts.map(({ createdAt }) => createdAt);
    assert.ok(Math.min(...read) < START_AT - 7 * DAY_MS, 'its past was read back');
    const file = join(stage.data, 'posts.csv');
    const exported = await runMain(['export', 'posts', '--format', 'csv', '-o', file, ...data]);
    assert.equal(exported.code, 0, exported.stderr);
    const ids = new Set(posts.map(({ id }) => id));
    const text = await readFile(file, 'utf8');
    assert.deepEqual(
      [...ids].filter((id) => !text.includes(id)),
      [],
    );
  });

  it('leaves a log that replays to the same bytes', async () => {
    const { code, stderr } = await runMain(['replay', '--verify', '--simulate', '1', '--data', stage.data]);
    assert.equal(code, 0, stderr);
  });

  it('changes no byte of the streams of the account that stayed', async () => {
    await stage.stop();
    const log = await readLog(stage.data, Number.POSITIVE_INFINITY);
    const isFirst = (account: AccountId) => account === 'a';
    const alone = onlyAccounts(log, isFirst);
    assert.ok(alone.length < log.length);
    const expected = accountOutputs(alone, isFirst);
    assert.ok(expected.has('posts') && expected.has('counters') && expected.has('predictions'));
    assert.deepEqual(accountOutputs(log, isFirst), expected);
  });
});
