import assert from 'node:assert/strict';
import fc from 'fast-check';
import * as z from 'zod';
import { accountTrackRecord, overviewRecord } from '../../../src/contract/records/performance.ts';
import { DAY_MS, type Output, type ScoreRecord } from '../../../streams/internal.ts';
import { accountPath } from '../../support/accounts.ts';
import { eventually } from '../../support/eventually.ts';
import {
  decisionOutput,
  FRESH_AGES,
  freshnessOutput,
  modelOutput,
  NOON,
  predictedBucket,
  predictionOutput,
  score,
  scoreOutput,
  sleepOutput,
  voidOutput,
} from '../../support/outputs.ts';
import { json, type Running, start } from '../start.ts';

const OVERVIEW = '/api/v1/performance/overview';
const HISTORY = '/api/v1/performance/history';
const CALIBRATION = '/api/v1/performance/calibration';
const NO_BETS = { bets: 0, events: 0, won_percent: null, return_percent: null };
const NO_ERROR = { median: null, p90: null, sample_size: 0 };

describe('GET /performance', () => {
  let running: Running;
  const begin = async (...loaded: readonly Output[]) => {
    running = await start({ loaded });
  };
  const listed = async (path: string) => {
    const { data } = await json(await running.get(path));
    assert.ok(Array.isArray(data));
    return data;
  };
  const tagOf = async (path: string) => {
    const response = await running.get(path);
    await response.arrayBuffer();
    return response.headers.get('etag') ?? '';
  };
  const overview = async () => overviewRecord.parse(await json(await running.get(OVERVIEW)));
  const tracks = async (path: string) => {
    const { track_records } = await json(await running.get(path));
    return z.array(accountTrackRecord).parse(track_records);
  };
  afterEach(() => running.stop());

  describe('/overview', () => {
    it('shows how often decisions have won, by confidence, each event once', async () => {
      const levels = ['HIGH', 'HIGH', 'HIGH', 'LOW'] as const;
      await begin(
        ...levels.flatMap((confidence, eventId) => [
          decisionOutput({ eventId, confidence, isProven: confidence === 'HIGH' && eventId > 0 }),
          decisionOutput({ eventId, confidence, horizonHours: 48, madeAt: NOON }),
          scoreOutput({ eventId, wonLo: eventId === 1 ? 100 : 0 }),
          scoreOutput({ eventId, horizonHours: 48, wonLo: eventId === 1 ? 100 : 0 }),
        ]),
      );
      const { win_rate, win_rate_sample_size, win_rate_unproven } = await json(await running.get(OVERVIEW));
      assert.deepEqual(win_rate, { HIGH: 33.3333, MEDIUM: null, LOW: 0 });
      assert.deepEqual(win_rate_sample_size, { HIGH: 3, MEDIUM: 0, LOW: 1 });
      assert.deepEqual(win_rate_unproven, { HIGH: 1, MEDIUM: 0, LOW: 1 });
    });

    it('gives what bets on each side made', async () => {
      const buys = [
        { lo: 0, hi: 19, side: 'No', prob: 0.9, price: 0.7, cost: 0.71, stake: 0.04 } as const,
        { lo: 100, hi: 119, prob: 0.44, price: 0.31, stake: 0.02 },
      ];
      await begin(decisionOutput({ buys }), scoreOutput({ wonLo: 20 }));
      const { bets_by_side } = await overview();
      assert.deepEqual(bets_by_side, {
        yes: { bets: 1, events: 1, won_percent: 0, return_percent: null },
        no: { bets: 1, events: 1, won_percent: 100, return_percent: 40.8451 },
      });
    });

    it('gives the record of spec 2.9: errors of live and back-filled forecasts together and apart', async () => {
      const errors = [1, 2, 3, 4, 5, 6, 7, 8, 9, 30];
      await begin(
        ...errors.map((errorPercent, index) =>
          scoreOutput(
            {
              eventId: index,
              errorPercent,
              origin: index < 2 ? 'live' : 'history',
              market: index === 0 ? score() : null,
            },
            { seq: index + 1, at: NOON - 5_000 + index },
          ),
        ),
        scoreOutput({ eventId: 50, horizonHours: 48, errorPercent: 12.345678 }),
        scoreOutput({ eventId: 51, horizonHours: 48, errorPercent: null, final: 0 }),
      );
      const one = { median: 12.3457, p90: 12.3457, sample_size: 1 };
      const none = { ...NO_ERROR, n_market: 0, live: NO_ERROR, backfilled: NO_ERROR };
      const live = { median: 1.5, p90: 2, sample_size: 2 };
      const history = { median: 6.5, p90: 30, sample_size: 8 };
      const { timestamp, track_records, ...body } = await json(await running.get(OVERVIEW));
      assert.equal(timestamp, NOON);
      assert.deepEqual(body, {
        error_24h: { median: 5.5, p90: 9, sample_size: 10, n_market: 1, live, backfilled: history },
        error_48h: { ...one, n_market: 0, live: one, backfilled: NO_ERROR },
        error_72h: none,
        win_rate: { HIGH: null, MEDIUM: null, LOW: null },
        win_rate_sample_size: { HIGH: 0, MEDIUM: 0, LOW: 0 },
        win_rate_unproven: { HIGH: 0, MEDIUM: 0, LOW: 0 },
        bets_by_side: { yes: NO_BETS, no: NO_BETS },
        last_updated: new Date(NOON).toISOString(),
        comparable: { n: 0, error_24h: none, error_48h: none, error_72h: none },
        by_origin: {
          live: { error_24h: live, error_48h: one, error_72h: NO_ERROR },
          history: { error_24h: history, error_48h: NO_ERROR, error_72h: NO_ERROR },
        },
      });
    });

    it('compares the horizons over the events that have an error at each of them', async () => {
      const at = (eventId: number, horizonHours: number, errorPercent: number | null) =>
        scoreOutput({ eventId, horizonHours, errorPercent });
      await begin(
        ...[24, 48, 72].flatMap((hours) => [at(1, hours, hours), at(2, hours, 2 * hours)]),
        ...[at(3, 24, 1), at(3, 48, 1)],
        ...[at(4, 24, 1), at(4, 48, 1), at(4, 72, null)],
      );
      const { error_24h, comparable } = await overview();
      assert.deepEqual([error_24h.median, error_24h.sample_size], [12.5, 4]);
      const { n, ...errors } = comparable;
      assert.equal(n, 2);
      assert.deepEqual(
        Object.entries(errors).map(([name, { median, sample_size }]) => [name, median, sample_size]),
        [
          ['error_24h', 36, 2],
          ['error_48h', 72, 2],
          ['error_72h', 108, 2],
        ],
      );
    });

    it('says for every account and horizon what the record rests on and what it shows', async () => {
      const settled = (n: number, fields: Partial<ScoreRecord>) =>
        Array.from({ length: n }, (_, eventId) =>
          scoreOutput({ eventId: fields.account === 'b' ? 100 + eventId : eventId, ...fields }),
        );
      await begin(
        ...settled(56, { origin: 'history' }),
        ...settled(30, { account: 'b', market: score({ logScore: 3 }) }),
      );
      for (const path of [OVERVIEW, CALIBRATION]) {
        const track_records = await tracks(path);
        assert.equal(track_records.length, 6);
        assert.deepEqual(
          [0, 1, 3]
            .flatMap((place) => track_records[place] ?? [])
            .map(({ account, horizon, n_live, n_backfilled, n_market, proven, proven_against }) => [
              ...[account, horizon, n_live, n_backfilled, n_market],
              ...[proven, proven_against.join(' ')],
            ]),
          [
            ['account_a', 24, 0, 56, 0, false, 'pace'],
            ['account_a', 48, 0, 0, 0, false, ''],
            ['account_b', 24, 30, 0, 30, true, 'pace market'],
          ],
        );
      }
    });

    it('shows null before the first score, and changes with it', async () => {
      await begin();
      const before = await overview();
      assert.deepEqual(before.error_24h.live, NO_ERROR);
      const tag = await tagOf(OVERVIEW);
      running.put(freshnessOutput(FRESH_AGES, { seq: 2 }));
      assert.equal(await tagOf(OVERVIEW), tag);
      running.put(scoreOutput({ errorPercent: 4 }, { seq: 3, at: NOON + 9 }));
      assert.notEqual(await tagOf(OVERVIEW), tag);
      const after = await overview();
      assert.deepEqual(after.error_24h.live, { median: 4, p90: 4, sample_size: 1 });
      assert.equal(after.last_updated, new Date(NOON + 9).toISOString());
    });
  });

  describe('/history', () => {
    it('gives the samples of a horizon by close, and what is void', async () => {
      await begin(
        voidOutput({ eventId: 7 }),
        voidOutput({ eventId: 8, endAt: NOON - 31 * DAY_MS }),
        voidOutput({ eventId: 9, horizonHours: 48 }),
        scoreOutput({
          eventId: 2,
          account: 'b',
          origin: 'history',
          modelVersion: 'pool-1+469000',
          market: score(),
        }),
        scoreOutput({ eventId: 1, endAt: NOON - 3 * DAY_MS, errorPercent: 7.00004 }),
        scoreOutput({ eventId: 3, horizonHours: 48 }),
        scoreOutput({ eventId: 4, errorPercent: null, final: 0 }),
      );
      assert.deepEqual(await json(await running.get(HISTORY)), {
        timestamp: NOON,
        data: [
          {
            timestamp: new Date(NOON - 3 * DAY_MS).toISOString(),
            error_pct: 7,
            event_id: 1,
            account: 'account_a',
            origin: 'live',
            p50: 90,
            final_count: 100,
            model_version: 'pool-1+470000',
            has_market: false,
          },
          {
            timestamp: new Date(NOON - DAY_MS).toISOString(),
            error_pct: 10,
            event_id: 2,
            account: 'account_b',
            origin: 'history',
            p50: 90,
            final_count: 100,
            model_version: 'pool-1+469000',
            has_market: true,
          },
        ],
        void: [
          {
            timestamp: new Date(NOON - DAY_MS).toISOString(),
            event_id: 7,
            account: 'account_a',
            origin: 'live',
            forecast_id: '7-7',
            forecast_ts: NOON - 2 * DAY_MS,
            model_version: 'pool-1+470000',
          },
        ],
        annotations: [],
      });
      assert.deepEqual(
        (await listed(`${HISTORY}?horizon=48`)).map((sample) => sample.event_id),
        [3],
      );
    });

    it('has one annotation per model, dated when it first published, whatever is asked for', async () => {
      await begin(
        modelOutput({ model: 'pool-2', publishedAt: NOON - 5 }),
        modelOutput({ model: 'pool-1', publishedAt: NOON - 400 * DAY_MS }),
        scoreOutput({ modelVersion: 'pool-1+470000', madeAt: 5 }),
      );
      const annotation = (commit: string, at: number) => ({
        timestamp: new Date(at).toISOString(),
        label: `model ${commit}`,
        commit,
      });
      for (const query of ['', '?horizon=72', '?days=1', '?days=365']) {
        const { annotations } = await json(await running.get(HISTORY + query));
        assert.deepEqual(
          annotations,
          [annotation('pool-1', NOON - 400 * DAY_MS), annotation('pool-2', NOON - 5)],
          query,
        );
      }
      const tag = await tagOf(HISTORY);
      running.put(modelOutput({ model: 'pool-3', publishedAt: NOON }, { seq: 9 }));
      assert.notEqual(await tagOf(HISTORY), tag);
    });

    it('looks back as many days as asked, 30 by default, and moves its tag as samples age', async () => {
      const ages = [1, 29, 31, 364, 366];
      await begin(...ages.map((days) => scoreOutput({ eventId: days, endAt: NOON - days * DAY_MS })));
      const ids = async (query: string) => (await listed(HISTORY + query)).map((sample) => sample.event_id);
      assert.deepEqual(await ids(''), [29, 1]);
      assert.deepEqual(await ids('?days=1'), [1]);
      assert.deepEqual(await ids('?days=365'), [364, 31, 29, 1]);
      assert.deepEqual(await ids('?days=100000'), [366, 364, 31, 29, 1]);
      const tag = await tagOf(HISTORY);
      const again = await running.get(HISTORY, { 'If-None-Match': tag });
      assert.equal(again.status, 304);
      running.clock.now += 2 * DAY_MS;
      assert.notEqual(await tagOf(HISTORY), tag);
    });

    it('refuses other horizons and days, every fault at once', async () => {
      await begin();
      const horizon = { loc: ['query', 'horizon'], msg: 'Input should be 24, 48 or 72', type: 'enum' };
      for (const [query, detail] of [
        ['horizon=25', [horizon]],
        ['horizon=', [horizon]],
        ['horizon=0', [horizon]],
        ['horizon=x', [horizon]],
        [
          'horizon=1&days=0',
          [
            horizon,
            {
              loc: ['query', 'days'],
              msg: 'Input should be greater than or equal to 1',
              type: 'greater_than_equal',
            },
          ],
        ],
      ] as const) {
        const response = await running.get(`${HISTORY}?${query}`);
        assert.equal(response.status, 422, query);
        assert.deepEqual(await json(response), { detail });
      }
      for (const query of ['horizon=24.0', 'horizon=48', 'horizon=072', 'days=1', 'days=366']) {
        assert.equal((await running.get(`${HISTORY}?${query}`)).status, 200, query);
      }
    });
  });

  describe('/calibration', () => {
    const pick = async (origin: string, account: string | null, horizon: number | null) => {
      const data = await listed(CALIBRATION);
      const [only, ...others] = data.filter(
        (group) => group.origin === origin && group.account === account && group.horizon === horizon,
      );
      assert.deepEqual(others, []);
      return only;
    };
    const against = (ours: number, market: number): Partial<ScoreRecord> => ({
      model: score({ logScore: ours }),
      market: score({ logScore: market, crps: null, isCovered: null, pit: null }),
    });

    it('has every group from the start, and claims nothing', async () => {
      await begin();
      const data = await listed(CALIBRATION);
      assert.equal(data.length, 2 * 3 * 4);
      for (const group of data) {
        assert.deepEqual([group.n, group.crps, group.coverage90_interval], [0, null, null]);
        assert.equal(group.no_demonstrated_edge, true);
      }
    });

    it('has the score of the sleep probability of each account', async () => {
      await begin(sleepOutput());
      const { sleep } = await json(await running.get(CALIBRATION));
      assert.deepEqual(sleep, [
        { account: 'account_a', n: 40, brier: 0.11, baseline_brier: 0.21 },
        { account: 'account_b', n: 0, brier: null, baseline_brier: null },
      ]);
    });

    it('counts each event once, live and history apart', async () => {
      await begin(
        scoreOutput({ eventId: 1, horizonHours: 24, model: score({ crps: 10 }) }),
        scoreOutput({ eventId: 1, horizonHours: 48, model: score({ crps: 20, isCovered: false }) }),
        scoreOutput({ eventId: 2, account: 'b', horizonHours: 24, model: score({ crps: 45 }) }),
        scoreOutput({ eventId: 3, origin: 'history', model: score({ crps: 99 }) }),
      );
      const all = await pick('live', null, null);
      assert.deepEqual([all.n, all.n_events, all.crps, all.coverage90], [3, 2, 30, 0.75]);
      assert.deepEqual([all.crps_pace, all.crps_difference_pace], [15, 15]);
      assert.deepEqual(all.crps_difference_pace_interval, [0, 30]);
      assert.equal((await pick('live', 'account_b', 24)).crps, 45);
      assert.equal((await pick('live', null, 48)).crps, 20);
      assert.equal((await pick('history', 'account_a', null)).crps, 99);
    });

    for (const [name, losses, n, origin, isUnproven] of [
      ['below zero', [-1, -1.5, -0.5, -1], 32, 'live', false],
      ['around zero', [-1, 1.5, -0.5, 0.2], 32, 'live', true],
      ['above zero', [1, 1.5, 0.5, 1], 32, 'live', true],
      ['of fewer than 30 events', [-1, -1.5], 28, 'live', true],
      ['of back-filled forecasts', [-1, -1.5], 32, 'history', true],
    ] as const) {
      it(`${isUnproven ? 'claims no' : 'shows an'} edge when the interval of the difference to the market is ${name}`, async () => {
        const all = Array.from({ length: n }, (_, index) => losses[index % losses.length] ?? 0);
        await begin(
          ...all.map((loss, eventId) => scoreOutput({ eventId, origin, ...against(2 + loss, 2) })),
          scoreOutput({ eventId: 99, origin, model: score({ logScore: 9 }), market: null }),
        );
        const group = await pick(origin, null, 24);
        assert.equal(group.no_demonstrated_edge, isUnproven);
        assert.equal(group.n_market, n);
        assert.equal(group.log_score_market, 2);
        const mean = all.reduce((sum: number, loss) => sum + loss, 0) / n;
        assert.equal(group.log_score_difference_market, Math.round(mean * 1e4) / 1e4);
      });
    }

    it('groups buckets by their probability and shows how many won', async () => {
      const buckets = [
        predictedBucket({ lo: 0, hi: 99, prob: 0.25 }),
        predictedBucket({ lo: 100, hi: null, prob: 0.75 }),
      ];
      await begin(
        scoreOutput({ eventId: 1, final: 100 }),
        predictionOutput({ eventId: 1, horizonHours: 24, buckets }),
        scoreOutput({ eventId: 2, final: 99 }),
        predictionOutput({ eventId: 2, horizonHours: 24, buckets }),
        // A row that is not the one that was scored says nothing.
        scoreOutput({ eventId: 3, final: 99, forecastId: '3-1' }),
        predictionOutput({ eventId: 3, horizonHours: 24, buckets, forecastId: '3-2' }),
      );
      assert.deepEqual((await pick('live', null, 24)).reliability, [
        { from: 0.2, to: 0.3, n: 2, mean_prob: 0.25, won_share: 0.5 },
        { from: 0.7, to: 0.8, n: 2, mean_prob: 0.75, won_share: 0.5 },
      ]);
    });

    it('serves new scores when they are worked in, and moves the tag with them', async () => {
      await begin(scoreOutput());
      const before = await tagOf(CALIBRATION);
      running.put(scoreOutput({ eventId: 2 }, { seq: 5 }));
      assert.equal(await tagOf(CALIBRATION), before);
      await eventually('the pass is complete', async () => (await pick('live', null, null)).n === 2);
      assert.notEqual(await tagOf(CALIBRATION), before);
    });
  });

  describe('of one account', () => {
    const settled = [
      ...[1, 2, 3].map((eventId) => scoreOutput({ eventId, errorPercent: 10 })),
      scoreOutput({ eventId: 4, account: 'b', errorPercent: 50 }),
      decisionOutput({ eventId: 4, account: 'b', confidence: 'HIGH' }),
      voidOutput({ eventId: 5, account: 'b' }),
      sleepOutput(),
    ];
    const ofAccount = async (path: string, account: string) =>
      json(await running.get(`${path}?account=${account}`));

    it('has of the calibration what the answer for all accounts has of it, and nothing else', async () => {
      await begin(...settled);
      const whole = await json(await running.get(CALIBRATION));
      for (const account of ['account_a', 'account_b']) {
        const own = await ofAccount(CALIBRATION, account);
        for (const list of ['data', 'track_records', 'sleep'] as const) {
          const all = z.array(z.looseObject({ account: z.string().nullable() })).parse(whole[list]);
          assert.deepEqual(
            own[list],
            all.filter((record) => record.account === account),
            list,
          );
        }
        assert.deepEqual(Object.keys(own), Object.keys(whole));
      }
    });

    it('counts the errors and wins of this account alone', async () => {
      await begin(...settled);
      const [a, b] = [await ofAccount(OVERVIEW, 'account_a'), await ofAccount(OVERVIEW, 'account_b')].map(
        (body) => overviewRecord.parse(body),
      );
      assert.deepEqual([a?.error_24h.median, a?.error_24h.sample_size], [10, 3]);
      assert.deepEqual([b?.error_24h.median, b?.error_24h.sample_size], [50, 1]);
      assert.deepEqual([a?.win_rate_sample_size.HIGH, b?.win_rate_sample_size.HIGH], [0, 1]);
      const accounts = [a, b].map((body) => new Set(body?.track_records.map(({ account }) => account)));
      assert.deepEqual(accounts, [new Set(['account_a']), new Set(['account_b'])]);
      const history = await ofAccount(HISTORY, 'account_b');
      assert.deepEqual([Object(history.data).length, Object(history.void).length], [1, 1]);
      assert.equal((await listed(`${HISTORY}?account=account_a`)).length, 3);
    });

    it('is refused when there is no such account, beside all other faults', async () => {
      await begin();
      for (const path of [OVERVIEW, HISTORY, CALIBRATION]) {
        const response = await running.get(`${path}?account=nobody`);
        assert.equal(response.status, 422, path);
        const msg = "Input should be 'account_a' or 'account_b'";
        assert.deepEqual(Object(await json(response)).detail, [
          { loc: ['query', 'account'], msg, type: 'literal_error' },
        ]);
      }
      const { detail } = await json(await running.get(`${HISTORY}?days=0&account=`));
      assert.deepEqual(
        z
          .array(z.looseObject({ loc: z.array(z.string()) }))
          .parse(detail)
          .map(({ loc }) => loc[1]),
        ['days', 'account'],
      );
    });

    /** Of many accounts it is not computed during a request. */
    const calibrationIsThere = () =>
      eventually('all scores are looked through', async () => {
        const answer = await running.get(CALIBRATION);
        await answer.arrayBuffer();
        return answer.status === 200;
      });

    it('is refused while many accounts are not looked through, and of few is there at once', async () => {
      let reason: string | undefined = 'it reads its own log';
      const letters = [...'abcdefghijklmnopqrstu'].map((id) => accountPath(id));
      running = await start({
        loaded: settled,
        deps: { accounts: letters.slice(1), starting: () => reason },
      });
      const early = await running.get(CALIBRATION);
      await early.arrayBuffer();
      assert.equal(early.status, 200, 'of 20 accounts');
      await running.stop();
      running = await start({ loaded: settled, deps: { accounts: letters, starting: () => reason } });
      const refused = await running.get(CALIBRATION);
      assert.deepEqual(
        [refused.status, refused.headers.get('Retry-After'), Object(await json(refused)).code],
        [503, '5', 'starting'],
      );
      reason = undefined;
      running.put(freshnessOutput(FRESH_AGES, { seq: 2 }));
      await calibrationIsThere();
    });

    it('is the only place for it where there are many accounts, and the other answers say so', async () => {
      const accounts = [...'abcdefghijklmnopqrstu'].map((id) => accountPath(id));
      running = await start({ loaded: settled, deps: { accounts } });
      await calibrationIsThere();
      const calibration = await json(await running.get(CALIBRATION));
      assert.deepEqual(
        z.array(z.looseObject({ account: z.null() })).parse(calibration.data).length,
        2 * 4,
        'all of them together',
      );
      assert.deepEqual([calibration.track_records, calibration.sleep], [[], []]);
      const whole = await overview();
      assert.deepEqual([whole.track_records, whole.error_24h.sample_size], [[], 4]);
      assert.deepEqual([calibration.omitted_accounts, whole.omitted_accounts], [21, 21]);
      const own = await ofAccount(CALIBRATION, 'account_u');
      assert.deepEqual([Object(own.data).length, own.omitted_accounts], [2 * 4, undefined]);
      assert.equal(Object((await ofAccount(OVERVIEW, 'account_a')).track_records).length, 3);
    });
  });

  it('has no number that is none, whatever was scored', async () => {
    const value = fc.option(fc.double({ min: 0, max: 50, noNaN: true }));
    const number = fc.double({ min: 0, max: 50, noNaN: true });
    const anyScore = fc
      .record(
        { crps: value, logScore: number, brier: number, isCovered: fc.option(fc.boolean()), pit: value },
        { noNullPrototype: true },
      )
      .map((fields) => score(fields));
    const anyOutput = fc
      .record(
        {
          eventId: fc.integer({ min: 1, max: 5 }),
          account: fc.constantFrom('a', 'b'),
          horizonHours: fc.constantFrom(24, 48, 72),
          origin: fc.constantFrom('live' as const, 'history' as const),
          errorPercent: value,
          model: anyScore,
          pace: anyScore,
          market: fc.option(anyScore),
        },
        { noNullPrototype: true },
      )
      .map((fields) => scoreOutput(fields));
    const anyResult = fc.oneof(
      anyOutput,
      anyOutput.map(({ record: { eventId } }) => voidOutput({ eventId })),
    );
    await begin();
    await fc.assert(
      fc.asyncProperty(fc.array(anyResult, { maxLength: 12 }), async (loaded) => {
        const other = await start({ loaded });
        try {
          for (const path of [OVERVIEW, HISTORY, CALIBRATION]) {
            const text = await (await other.get(path)).text();
            assert.ok(!/NaN|Infinity|undefined/.test(text), text);
            JSON.parse(text);
          }
        } finally {
          await other.stop();
        }
      }),
      { numRuns: 20 },
    );
  });
});
