import assert from 'node:assert/strict';
import { DAY_MS, MINUTE_MS } from '../../../streams/internal.ts';
import { at, type Json, list, openTestWorld, START_AT, type TestWorld } from '../open.ts';

describe('oracle', () => {
  let test: TestWorld;
  let url: string;
  before(async () => {
    test = await openTestWorld();
    url = test.world.addresses.oracle;
  });
  after(() => test.world.close());
  beforeEach(() => {
    test.clock.at = START_AT;
  });

  async function trackings(query = ''): Promise<readonly Json[]> {
    return list((await test.get(`${url}/trackings${query}`)).json, 'data');
  }

  async function stats(tracking: Json | undefined): Promise<Json> {
    const { json } = await test.get(`${url}/trackings/${tracking?.id}?includeStats=true`);
    const found = at(json, 'data', 'stats');
    assert.ok(typeof found === 'object' && found !== null);
    return { ...found };
  }

  it('wraps its answers and its failures', async () => {
    const good = await test.get(`${url}/users`);
    assert.equal(at(good.json, 'success'), true);
    const bad = await test.get(`${url}/users/nobody`);
    assert.deepEqual([bad.status, bad.json], [404, { success: false, error: 'User not found' }]);
    assert.equal((await test.get(`${url}/trackings/none`)).status, 404);
  });

  it('lists users with their active trackings, and one user with the ended ones too', async () => {
    const [user] = list((await test.get(`${url}/users`)).json, 'data');
    assert.equal(user?.platformId, test.world.addresses.accounts[0]?.userId);
    assert.ok(list(user, 'trackings').every((tracking) => tracking.isActive === true));
    const { json } = await test.get(`${url}/users/account_a_handle`);
    assert.ok(list(json, 'data', 'trackings').some((tracking) => tracking.isActive === false));
    assert.ok(Number(at(json, 'data', '_count', 'posts')) > 5_000);
  });

  it('ends newer windows a second before noon and older ones 59 s after it, without a market', async () => {
    const rows = await trackings();
    const ends = rows.map((row) => [String(row.endDate).slice(14, 19), row.marketLink === null]);
    assert.ok(ends.every(([end, isOlder]) => (isOlder ? end === '00:59' : end === '59:59')));
    assert.ok(ends.some(([, isOlder]) => isOlder));
    assert.ok(rows.some((row) => String(row.title).startsWith(' ')));
    const links = rows.filter((row) => row.isActive).map((row) => String(row.marketLink));
    assert.ok(links.every((link) => /\/event\/account-[ab]-of-posts-/.test(link)));
  });

  it('calls a window active before it starts, with an empty count', async () => {
    const rows = await trackings('?activeOnly=true');
    const early = rows.find((row) => Date.parse(String(row.startDate)) > START_AT);
    assert.ok(early !== undefined);
    const found = await stats(early);
    assert.deepEqual([found.total, found.daysElapsed, found.daily], [0, 0, []]);
  });

  it('gives hourly rows that add up to the total', async () => {
    const rows = await trackings();
    for (const row of [rows[2], rows.find((each) => each.isActive)]) {
      const found = await stats(row);
      const daily = list(found, 'daily');
      assert.equal(
        daily.reduce((sum, hour) => sum + Number(hour.count), 0),
        found.total,
      );
      assert.equal(daily.at(-1)?.cumulative, found.total);
      assert.equal(daily[0]?.date, row?.startDate);
    }
    assert.equal(
      list(await stats(rows.filter((row) => row.isActive === false).at(-1)), 'daily').length % 24,
      0,
    );
  });

  it('switches a tracking off some seconds after its end', async () => {
    const rows = await trackings('?activeOnly=true');
    const first = [...rows].sort((left, right) => (String(left.endDate) < String(right.endDate) ? -1 : 1))[0];
    test.clock.at = Date.parse(String(first?.endDate)) + 9_000;
    const { json } = await test.get(`${url}/trackings/${first?.id}`);
    assert.equal(at(json, 'data', 'isActive'), false);
  });

  it('syncs a post in some minutes, then shows it with the id and text of the posts API', async () => {
    const { id } = test.world.control.post({ account: 'a', text: 'hello' });
    const from = new Date(START_AT - 1).toISOString();
    const rows = async () =>
      list((await test.get(`${url}/users/account_a_handle/posts?startDate=${from}`)).json, 'data');
    assert.ok(!(await rows()).some((row) => row.platformId === id));
    test.clock.at += 6 * MINUTE_MS;
    const row = (await rows()).find((each) => each.platformId === id);
    assert.equal(row?.content, 'hello');
    assert.match(String(row?.createdAt), /\.000Z$/);
    const delay = Date.parse(String(row?.importedAt)) - Date.parse(String(row?.createdAt));
    assert.ok(delay > 0 && delay < 6 * MINUTE_MS);
    const user = (await test.get(`${url}/users/account_a_handle`)).json;
    assert.ok(test.clock.at - Date.parse(String(at(user, 'data', 'lastSync'))) < 6 * MINUTE_MS);
  });

  it('lists posts of a range, newest first', async () => {
    const from = new Date(START_AT - DAY_MS).toISOString();
    const until = new Date(START_AT - DAY_MS / 2).toISOString();
    const path = `${url}/users/account_a_handle/posts?startDate=${from}&endDate=${until}`;
    const dates = list((await test.get(path)).json, 'data').map((row) => String(row.createdAt));
    assert.ok(dates.length > 20);
    assert.deepEqual(dates, [...dates].sort().reverse());
    assert.ok(dates.every((date) => date >= from.slice(0, 19) && date <= until));
  });
});
