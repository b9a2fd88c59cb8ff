import assert from 'node:assert/strict';
import { openPast } from '../../../src/views/past.ts';
import { HOUR_MS, type Observation, type Output } from '../../../streams/internal.ts';
import { START_AT, turnsOf, withStore } from '../../research/small-log.ts';
import { GraphSession } from '../../support/model-answers.ts';
import { json, type Running, start } from '../start.ts';

const SECONDS = 60;
const PRO = { 'X-API-Key': 'demo_pro' };
const PATHS = [
  '/api/v1/meta/account_a',
  '/api/v1/prediction/account_a',
  '/api/v1/meta/account_b',
  '/api/v1/meta/account_a/lag',
  '/api/v1/meta/account_b/lag',
  '/api/v1/meta/account_a/tweets',
  '/api/v1/meta/account_b/tweets?limit=3&offset=2',
  '/api/v1/signals/account_a',
  '/api/v1/signals/account_a?bankroll=250&include_unproven=true',
  '/api/v1/signals/account_a?only_with_signals=true',
];
/** A post of account A, and when it is found deleted. */
const GONE = { id: '1010', second: 40 };

const withAsOf = (path: string, at: number | string) =>
  `${path}${path.includes('?') ? '&' : '?'}as_of=${encodeURIComponent(at)}`;

interface Turn {
  readonly observations: readonly Observation[];
  readonly outputs: readonly Output[];
  readonly seq: number;
  readonly at: number;
}

/** A log of a minute whose forecasts are answered, one turn each second. */
function turns(): readonly Turn[] {
  const session = new GraphSession();
  return turnsOf(SECONDS).map((observations, second) => {
    const at = START_AT + second * 1_000;
    const [known, said] = [session.log.length, session.outputs.length];
    for (const { fact } of observations) session.observe(at, fact);
    if (second === GONE.second) session.observe(at, { kind: 'post_gone', account: 'a', id: GONE.id });
    session.answer(at);
    return {
      observations: session.log.slice(known),
      outputs: session.outputs.slice(said),
      seq: session.log.length,
      at,
    };
  });
}

/** Serves a log of a minute that was stored second by second; `during` is called after each. */
function withPast(
  during: (server: Running, at: number) => Promise<void>,
  after: (server: Running) => Promise<void>,
): Promise<void> {
  return withStore(async (store) => {
    const server = await start();
    const past = openPast(store, server.latest);
    await server.stop();
    const { latest } = server;
    const serving = await start({ deps: { latest, past } });
    try {
      for (const { observations, outputs, seq, at } of turns()) {
        await store.journal.append(observations);
        await store.outputs.append(outputs, seq);
        latest.apply(outputs, seq, at);
        serving.clock.now = at;
        await during(serving, at);
      }
      await after(serving);
    } finally {
      await serving.stop();
    }
  });
}

/** Whether second `n` of the log brings a post of account A. */
const isOfA = (n: number) => n % 2 === 0 && n % 3 !== 0;

const faultOf = async (response: Response) => {
  const { detail } = await json(response);
  return { status: response.status, detail };
};

describe('as_of', function () {
  this.timeout(120_000);

  it('answers what was answered then', async () => {
    const then: { readonly path: string; readonly at: number; readonly body: string }[] = [];
    await withPast(
      async ({ get }, at) => {
        for (const path of PATHS) then.push({ path, at, body: await (await get(path, PRO)).text() });
      },
      async ({ get, clock }) => {
        clock.now += HOUR_MS;
        // Each path at every third second.
        for (const { path, at, body } of then.filter((_, place) => place % 3 === 0)) {
          const response = await get(withAsOf(path, at), PRO);
          const place = `${path} at ${at - START_AT}`;
          // The present may be asked again; the past stays unknown.
          if (body.includes('events_unknown')) assert.equal(response.status, 422, place);
          else assert.equal(await response.text(), body, place);
        }
        const ofB = then.filter(({ path }) => path === '/api/v1/meta/account_b');
        assert.ok(ofB[0]?.body.includes('events_unknown') && ofB.at(-1)?.body.includes('"data":[]'));
        for (const name of ['prediction', 'signals']) {
          const bodies = new Set(then.filter(({ path }) => path.includes(name)).map(({ body }) => body));
          assert.ok(bodies.size > 50, name);
          assert.ok(
            [...bodies].some((body) => body.includes('"forecast_id":"71-')),
            name,
          );
        }
      },
    );
  });

  it('knows nothing of what came a millisecond later', () =>
    withPast(
      async () => undefined,
      async ({ get }) => {
        const seqAt = async (at: number) => {
          const { data } = await json(await get(`${PATHS[0]}?as_of=${at}`, PRO));
          return Array.isArray(data) ? data[0].as_of : undefined;
        };
        const { seq, ages_ms: ages } = await seqAt(START_AT + 30_000);
        const before = await seqAt(START_AT + 29_999);
        assert.ok(before.seq < seq);
        assert.deepEqual([ages.posts, before.ages_ms.posts], [100, 1_099]);
      },
    ));

  it('takes the instant in ISO 8601 too', () =>
    withPast(
      async () => undefined,
      async ({ get }) => {
        for (const path of PATHS) {
          const at = START_AT + 30_250;
          const asked = [
            '2026-01-05T00:00:30.250Z',
            '2026-01-05T01:00:30.25+01:00',
            '2026-01-05T00:00:30.250',
          ];
          const body = await (await get(withAsOf(path, at), PRO)).text();
          assert.ok(body.startsWith(`{"timestamp":${at},`), path);
          for (const text of asked) assert.equal(await (await get(withAsOf(path, text), PRO)).text(), body);
          const escaped = withAsOf(path, at).replace('as_of', '%61s%5fof');
          assert.equal(await (await get(escaped, PRO)).text(), body);
        }
      },
    ));

  it('tells no deletion that was found later, and no post that was seen later', () =>
    withPast(
      async () => undefined,
      async ({ get }) => {
        const posts = async (second: number) => {
          const path = '/api/v1/meta/account_a/tweets?limit=100';
          const { data } = await json(await get(withAsOf(path, START_AT + second * 1_000), PRO));
          assert.ok(Array.isArray(data));
          return data;
        };
        const gone = async (second: number) =>
          (await posts(second)).find(({ tweet_id }) => tweet_id === GONE.id)?.deleted_ts;
        assert.deepEqual(
          [await gone(9), await gone(10), await gone(39), await gone(40), await gone(59)],
          [undefined, null, null, START_AT + 40_000, START_AT + 40_000],
        );
        for (const second of [5, 20, 59]) {
          const seen = (await posts(second)).map(({ seen_ts }) => seen_ts);
          assert.equal(Math.max(...seen) <= START_AT + second * 1_000, true);
          assert.equal(seen.length, Array.from({ length: second + 1 }, (_, n) => n).filter(isOfA).length);
        }
      },
    ));

  it('opens and ends windows by the instant asked about', () =>
    withPast(
      async () => undefined,
      async ({ get, clock }) => {
        clock.now += 100 * HOUR_MS;
        const size = async (at: number) => {
          const { data } = await json(await get(`${PATHS[0]}?as_of=${at}`, PRO));
          return Array.isArray(data) ? data.length : undefined;
        };
        const endAt = START_AT + 48 * HOUR_MS;
        // The log has ended by then, so whether another event opened is not known.
        assert.deepEqual([await size(endAt - 1), await size(endAt)], [1, undefined]);
        const { detail } = await faultOf(await get(`${PATHS[0]}?as_of=${endAt}`, PRO));
        assert.match(JSON.stringify(detail), /which events were active then is not known/);
      },
    ));

  it('is for tier PRO, also where the present is open to all', () =>
    withPast(
      async () => undefined,
      async ({ get }) => {
        for (const path of PATHS) {
          const codeFor = async (key?: string) => {
            const response = await get(withAsOf(path, START_AT + 30_000), key ? { 'X-API-Key': key } : {});
            return [response.status, (await json(response)).code];
          };
          assert.deepEqual(await codeFor(), [401, 'key_missing']);
          assert.deepEqual(await codeFor('demo_free'), [401, 'tier_too_low']);
          assert.deepEqual(await codeFor('tw_pro_nobody'), [401, 'key_invalid']);
          assert.deepEqual(await codeFor('demo_internal'), [200, undefined]);
        }
        assert.equal((await get(PATHS[0] ?? '')).status, 200);
      },
    ));

  it('refuses an instant that is not kept, has not come, or is none', () =>
    withPast(
      async () => undefined,
      async ({ get, clock }) => {
        const refused = async (value: string) => faultOf(await get(`${PATHS[1]}?as_of=${value}`, PRO));
        const fault = (msg: string, type: string) => ({
          status: 422,
          detail: [{ loc: ['query', 'as_of'], msg, type }],
        });
        assert.deepEqual(
          await refused(String(START_AT - 1)),
          fault(
            `Input should be greater than or equal to ${START_AT}, where what is kept begins`,
            'greater_than_equal',
          ),
        );
        assert.deepEqual(
          await refused(String(clock.now + 1)),
          fault(`Input should be less than or equal to ${clock.now}, the present`, 'less_than_equal'),
        );
        assert.deepEqual(
          await refused('-1'),
          fault('Input should be greater than or equal to 0', 'greater_than_equal'),
        );
        for (const value of ['', 'noon', '1.5']) assert.equal((await refused(value)).status, 422, value);
      },
    ));

  it('says so while nothing is kept', async () => {
    const { get, stop } = await start();
    const { status, detail } = await faultOf(await get(`${PATHS[0]}?as_of=1`, PRO));
    assert.deepEqual(
      [status, detail],
      [422, [{ loc: ['query', 'as_of'], msg: 'Value error, nothing is kept yet', type: 'value_error' }]],
    );
    await stop();
  });

  it('has a tag of its own for each instant', () =>
    withPast(
      async () => undefined,
      async ({ get }) => {
        const path = `${PATHS[0]}?as_of=${START_AT + 20_000}`;
        const etag = (await get(path, PRO)).headers.get('etag') ?? '';
        const again = await get(path, { ...PRO, 'If-None-Match': etag });
        assert.deepEqual([again.status, await again.text()], [304, '']);
        const others = [PATHS[0] ?? '', `${PATHS[0]}?as_of=${START_AT + 20_001}`];
        for (const other of others) {
          assert.equal((await get(other, { ...PRO, 'If-None-Match': etag })).status, 200, other);
        }
      },
    ));

  it('answers many at once, each with what was asked for', () =>
    withPast(
      async () => undefined,
      async ({ get }) => {
        const asked = Array.from({ length: 30 }, (_, n) => START_AT + (n % 15) * 2_000);
        const answers = await Promise.all(asked.map((at) => get(`${PATHS[1]}?as_of=${at}`, PRO).then(json)));
        assert.deepEqual(
          answers.map(({ timestamp }) => timestamp),
          asked,
        );
      },
    ));
});
