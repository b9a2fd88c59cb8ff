import assert from 'node:assert/strict';
import fc from 'fast-check';
import { evaluate, firstState, type RuleState } from '../../src/alerts/evaluate.ts';
import { createKnown } from '../../src/alerts/known.ts';
import type { Alert, AlertRule } from '../../src/alerts/rule.ts';
import { ALERT_FIGURE_NAMES, conditionText, readCondition } from '../../src/contract/alert-figures.ts';
import type { Output } from '../../streams/internal.ts';
import {
  bucket,
  countersOutput,
  eventOutput,
  lagOutput,
  NOON,
  predictedBucket,
  predictionOutput,
  priceOutput,
  velocityOutput,
} from '../support/outputs.ts';
import { alertRule } from './rules.ts';

/** The alerts of groups of outputs, one group for each observation; the state begins before the first. */
function run(rule: AlertRule, groups: readonly (readonly Output[])[], begin: readonly Output[] = []) {
  const known = createKnown();
  for (const output of begin) known.put(output);
  let state: RuleState = firstState(rule, known);
  const alerts: Alert[] = [];
  for (const group of groups) {
    for (const output of group) known.put(output);
    const evaluated = evaluate(rule, state, known, group);
    state = evaluated.state;
    alerts.push(...evaluated.alerts);
  }
  return { alerts, state };
}

const event = eventOutput({}, { seq: 1 });
const delta = (value: number | null, seq: number, at = NOON + seq * 1_000) =>
  countersOutput({ settlementDelta: value }, { seq, at });
const valuesOf = (alerts: readonly Alert[]) => alerts.map(({ seq, value }) => [seq, value]);

function alertsOf(rule: AlertRule, values: readonly (number | null)[]) {
  return valuesOf(
    run(
      rule,
      values.map((value, index) => [delta(value, index + 2)]),
      [event],
    ).alerts,
  );
}

describe('evaluate', () => {
  it('makes an alert when the condition becomes true, and the next one after it was false', () => {
    assert.deepEqual(alertsOf(alertRule('settlement_delta >= 2'), [0, 2, 3, 1, 2, 2]), [
      [3, 2],
      [6, 2],
    ]);
  });

  it('takes what is unknown for no change', () => {
    assert.deepEqual(alertsOf(alertRule('settlement_delta >= 2'), [2, null, 3, null, 1, null, 4]), [
      [2, 2],
      [8, 4],
    ]);
  });

  it('arms a rule again only where it says', () => {
    assert.deepEqual(alertsOf(alertRule('settlement_delta >= 3', { rearm: 0 }), [3, 2, 3, 1, 3, 0, 3]), [
      [2, 3],
      [8, 3],
    ]);
    assert.deepEqual(alertsOf(alertRule('settlement_delta < 0', { rearm: 2 }), [-1, 1, -1, 2, -1]), [
      [2, -1],
      [6, -1],
    ]);
  });

  it('makes one alert of each event where it is asked for one', () => {
    const other = eventOutput({ eventId: 2 }, { seq: 1 });
    const { alerts } = run(
      alertRule('settlement_delta > 0', { once: true }),
      [[delta(1, 2)], [delta(0, 3)], [delta(1, 4)], [countersOutput({ eventId: 2 }, { seq: 5 })]],
      [event, other],
    );
    assert.deepEqual(
      alerts.map((alert) => [alert.event, alert.seq]),
      [
        [1, 2],
        [2, 5],
      ],
    );
  });

  it('waits between two alerts of the same event, and looks again after that', () => {
    const rule = alertRule('settlement_delta > 0', { cooldownMs: 3_000 });
    assert.deepEqual(alertsOf(rule, [1, 0, 1, 2, 1]), [
      [2, 1],
      [5, 2],
    ]);
  });

  it('wants what holds when the rule is made to become true anew', () => {
    const rule = alertRule('settlement_delta > 0', { once: true });
    const { alerts } = run(rule, [[delta(2, 2)], [delta(0, 3)], [delta(1, 4)]], [event, delta(1, 1)]);
    assert.deepEqual(valuesOf(alerts), [[4, 1]]);
  });

  it('forgets an event that is closed', () => {
    const closed = eventOutput({ phase: 'closed' }, { seq: 3 });
    const { state } = run(alertRule('settlement_delta > 0'), [[delta(1, 2)], [closed]], [event]);
    assert.deepEqual(state, { n: 1, marks: {} });
  });

  it('gives alerts numbers, and ids that are those of the observation and the subject', () => {
    const rule = alertRule('settlement_delta > 0');
    const groups = [[delta(1, 2)], [delta(0, 3)], [delta(1, 4)]];
    const { alerts } = run(rule, groups, [event]);
    assert.deepEqual(
      alerts.map(({ n }) => n),
      [1, 2],
    );
    assert.deepEqual(alerts, run(rule, groups, [event]).alerts);
    assert.equal(new Set(alerts.map(({ id }) => id)).size, 2);
    assert.match(alerts[0]?.id ?? '', /^r-2-[\w-]{8}$/);
  });

  it('finds the edge of a bucket by its price, by the forecast and by the counts', () => {
    const priced = eventOutput({ buckets: [bucket({ yesToken: 'yes' })] }, { seq: 1 });
    const forecast = (prob: number, seq: number) =>
      predictionOutput({ buckets: [predictedBucket({ prob })] }, { seq });
    const price = (value: number, seq: number) =>
      priceOutput({ eventId: 1, token: 'yes', price: value }, { seq });
    const { alerts } = run(
      alertRule('edge >= 0.1'),
      [[price(0.2, 2)], [forecast(0.3, 3)], [price(0.25, 4)], [forecast(0.36, 5)]],
      [priced, countersOutput({}, { seq: 1 })],
    );
    assert.deepEqual(
      alerts.map(({ seq, value, event: id, bucket: label }) => [seq, value, id, label]),
      [
        [3, 0.1, 1, '0-19'],
        [5, 0.11, 1, '0-19'],
      ],
    );
  });

  it('watches the one event, bucket and account of the rule', () => {
    const outputs = [delta(5, 2), velocityOutput({ account: 'b', counted1h: 9 }, { seq: 2 })];
    assert.deepEqual(run(alertRule('settlement_delta > 0', { event: 2 }), [outputs], [event]).alerts, []);
    assert.deepEqual(run(alertRule('velocity_counted_1h > 0'), [outputs], [event]).alerts, []);
    const late = lagOutput({ seen: { n: 1, p50: 1, p90: 2, p99: 9_000 } }, { seq: 2 });
    assert.equal(run(alertRule('seen_p99_ms > 5000'), [[late]]).alerts[0]?.event, null);
    const stale = countersOutput({ stale: ['posts', 'ui'] }, { seq: 2 });
    assert.equal(run(alertRule('stale_inputs == 2'), [[stale]], [event]).alerts.length, 1);
    assert.equal(run(alertRule('stale_oracle == 1'), [[stale]], [event]).alerts.length, 0);
  });

  it('agrees with a search for the places where the condition becomes true', () => {
    const value = fc.option(fc.integer({ min: -3, max: 3 }), { nil: null });
    fc.assert(
      fc.property(fc.array(value, { maxLength: 60 }), fc.integer({ min: -2, max: 2 }), (values, least) => {
        const seen = values.flatMap((each, index) => (each === null ? [] : [{ each, seq: index + 2 }]));
        const expected = seen.filter(
          ({ each }, index) => each >= least && (seen[index - 1]?.each ?? Number.NEGATIVE_INFINITY) < least,
        );
        assert.deepEqual(
          alertsOf(alertRule(`settlement_delta >= ${least}`), values),
          expected.map(({ each, seq }) => [seq, each]),
        );
      }),
    );
  });

  it('comes to the same alerts however the outputs are cut into runs', () => {
    const values = fc.array(fc.integer({ min: -3, max: 3 }), { minLength: 1, maxLength: 40 });
    const options = fc.record(
      {
        rearm: fc.constantFrom(null, -1, 0),
        once: fc.boolean(),
        cooldownMs: fc.constantFrom(0, 2_000, 7_000),
      },
      { noNullPrototype: true },
    );
    fc.assert(
      fc.property(values, options, fc.nat(40), (list, fields, cut) => {
        const rule = alertRule('settlement_delta > 0', fields);
        const outputs = list.map((value, index) => delta(value, index + 2));
        const whole = run(
          rule,
          outputs.map((each) => [each]),
          [event],
        );
        const known = createKnown();
        known.put(event);
        let state: RuleState = { n: 0, marks: {} };
        const alerts: Alert[] = [];
        for (const [index, output] of outputs.entries()) {
          // As after a restart, of which only the stored state is left.
          if (index === cut) state = JSON.parse(JSON.stringify(state));
          known.put(output);
          const next = evaluate(rule, state, known, [output]);
          state = next.state;
          alerts.push(...next.alerts);
        }
        assert.deepEqual({ alerts, state }, whole);
      }),
    );
  });
});

describe('a condition', () => {
  it('is read back from its text, for every figure and sign', () => {
    for (const figure of ALERT_FIGURE_NAMES) {
      for (const sign of ['>', '>=', '<', '<=', '==', '!='] as const) {
        const condition = { figure, sign, value: -1.5 };
        assert.deepEqual(readCondition(conditionText(condition)), condition);
      }
    }
  });

  it('is nothing else', () => {
    for (const text of ['', 'edge', 'edge > x', 'nothing > 1', 'edge => 1', 'edge > 1 or 2', 'edge > 1e9']) {
      assert.equal(readCondition(text), undefined, text);
    }
  });
});
