import assert from 'node:assert/strict';
import fc from 'fast-check';
import type * as z from 'zod';
import {
  historyQuery,
  noQuery,
  pastQuery,
  portfolioQuery,
  rebalancingQuery,
  signalsQuery,
  tweetsQuery,
  usageByEndpointQuery,
  usageErrorsQuery,
  usageSummaryQuery,
  waitlistBody,
  walletQuery,
} from '../../../src/contract/params.ts';
import { InvalidRequest, readBody, readQuery } from '../../../src/contract/validation/validate.ts';

/** The value, or each fault as `loc type: msg`. */
function attempt<T>(read: () => T): T | string[] {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
    return error.faults.map(({ loc, msg, type }) => `${loc.join('.')} ${type}: ${msg}`);
  }
}

const query = <S extends z.ZodObject>(schema: S, text: string) => attempt(() => readQuery(schema, text));
const body = (content: unknown) => attempt(() => readBody(waitlistBody, JSON.stringify(content), ''));
const raw = (text: string) => attempt(() => readBody(waitlistBody, text, ''));

const AT_LEAST_1 = 'greater_than_equal: Input should be greater than or equal to 1';
const NO_INTEGER = 'int_parsing: Input should be a valid integer, unable to parse string as an integer';
const NO_NUMBER = 'float_parsing: Input should be a valid number, unable to parse string as a number';
const NO_STRING = 'string_type: Input should be a valid string';
const MISSING = 'missing: Field required';
const WALLET = `0x${'a'.repeat(40)}`;

describe('readQuery', () => {
  it('takes the defaults when names are absent', () => {
    assert.deepEqual(query(tweetsQuery, ''), { limit: 15, offset: 0 });
    assert.deepEqual(query(tweetsQuery, 'Limit=3&limit2=4'), { limit: 15, offset: 0 });
    assert.deepEqual(query(signalsQuery, 'bankroll=7'), { ...readQuery(signalsQuery, ''), bankroll: 7 });
    assert.deepEqual(query(rebalancingQuery, 'wallet=w&bankroll=10'), {
      wallet: 'w',
      bankroll: 10,
      threshold: 5,
    });
    assert.deepEqual(query(historyQuery, ''), { horizon: 24, days: 30 });
    assert.deepEqual(query(usageSummaryQuery, ''), { days: 7 });
    assert.deepEqual(query(usageErrorsQuery, ''), { limit: 100 });
  });

  it('gives the same object for every empty query, which nobody can change', () => {
    assert.equal(readQuery(tweetsQuery, ''), readQuery(tweetsQuery, ''));
    assert.ok(Object.isFrozen(readQuery(tweetsQuery, '')));
  });

  it('decodes the parameters that are sent', () => {
    assert.deepEqual(query(tweetsQuery, 'limit=%2B15&offset=1_0'), { limit: 15, offset: 10 });
    assert.deepEqual(query(tweetsQuery, 'limit=+15&offset=%C2%A07'), { limit: 15, offset: 7 });
    assert.deepEqual(query(walletQuery, 'wallet=a+b%20%F0%9F%98%80'), { wallet: 'a b 😀' });
    assert.deepEqual(query(walletQuery, 'wallet='), { wallet: '' });
  });

  it('takes the last of a repeated name, good or bad', () => {
    assert.deepEqual(query(tweetsQuery, 'limit=x&limit=7'), { limit: 7, offset: 0 });
    assert.deepEqual(query(tweetsQuery, 'limit=7&limit=x'), [`query.limit ${NO_INTEGER}`]);
  });

  it('names the bound that is broken', () => {
    const over = (max: number) => `less_than_equal: Input should be less than or equal to ${max}`;
    for (const text of ['0', '-0', '-1', `-${'9'.repeat(30)}`]) {
      assert.deepEqual(query(tweetsQuery, `limit=${text}`), [`query.limit ${AT_LEAST_1}`]);
    }
    for (const text of ['101', '9'.repeat(4_300)]) {
      assert.deepEqual(query(tweetsQuery, `limit=${text}`), [`query.limit ${over(100)}`]);
    }
    for (const text of ['1000000.01', '1e7', 'nan', 'inf', 'Infinity', '1e400']) {
      assert.deepEqual(query(signalsQuery, `bankroll=${text}`), [`query.bankroll ${over(1_000_000)}`]);
    }
    for (const text of ['0', '0.99', '.5', '-5', '-inf']) {
      assert.deepEqual(query(signalsQuery, `bankroll=${text}`), [`query.bankroll ${AT_LEAST_1}`]);
    }
    assert.deepEqual(query(usageSummaryQuery, 'days=91'), [`query.days ${over(90)}`]);
    assert.deepEqual(query(usageErrorsQuery, 'limit=1001'), [`query.limit ${over(1_000)}`]);
  });

  it('looks back any number of days where the specification names no bound', () => {
    assert.deepEqual(query(historyQuery, 'days=366'), { horizon: 24, days: 366 });
    const days = Number.MAX_SAFE_INTEGER;
    assert.deepEqual(query(historyQuery, `days=${'9'.repeat(30)}`), { horizon: 24, days });
  });

  it('refuses a parameter that only other endpoints take, and ignores other names', () => {
    const EXTRA = 'extra_forbidden: Extra inputs are not permitted';
    assert.deepEqual(query(walletQuery, 'wallet=w&bankroll=5&x=1'), [`query.bankroll ${EXTRA}`]);
    assert.deepEqual(query(tweetsQuery, 'days=1&limit=0&days=2&%73tart'), [
      `query.limit ${AT_LEAST_1}`,
      `query.days ${EXTRA}`,
      `query.start ${EXTRA}`,
    ]);
    assert.deepEqual(query(noQuery, 'Limit=1&toString=2&__proto__=3'), {});
  });

  it('reads an instant in UTC ms or ISO 8601', () => {
    const at = Date.UTC(2026, 0, 5, 0, 0, 30);
    for (const text of [
      String(at),
      '2026-01-05T00:00:30Z',
      '2026-01-05T00:00:30.000Z',
      '2026-01-05T00:00:30',
      '2026-01-05T02:00:30%2B02:00',
      // The plus is not escaped, and so is a space.
      '2026-01-05T02:00:30+02:00',
      '2026-01-04T19:00:30-05:00',
    ]) {
      assert.deepEqual(query(pastQuery, `as_of=${text}`), { as_of: at }, text);
    }
    assert.deepEqual(query(pastQuery, 'as_of=2026-01-05'), { as_of: Date.UTC(2026, 0, 5) });
    assert.deepEqual(query(pastQuery, 'as_of=2026-01-05T00:00:30.1239Z'), { as_of: at + 123 });
    const NO_INSTANT =
      'datetime_from_date_parsing: Input should be a valid datetime or date, unable to parse string as UTC ms or ISO 8601';
    for (const text of ['', 'noon', '1.5', '2026-02-30', '2026-01-05T25:00:00Z', '2026-01', 'NaN', '1e12']) {
      assert.deepEqual(query(pastQuery, `as_of=${text}`), [`query.as_of ${NO_INSTANT}`], text);
    }
    assert.deepEqual(query(pastQuery, 'as_of=-1'), [
      'query.as_of greater_than_equal: Input should be greater than or equal to 0',
    ]);
  });

  it('takes any offset, however large', () => {
    assert.deepEqual(query(tweetsQuery, `offset=${'9'.repeat(30)}`), {
      limit: 15,
      offset: Number.MAX_SAFE_INTEGER,
    });
  });

  it('lists every fault in the order of declaration, one per name', () => {
    assert.deepEqual(query(rebalancingQuery, ''), [`query.wallet ${MISSING}`, `query.bankroll ${MISSING}`]);
    assert.deepEqual(query(rebalancingQuery, 'threshold=x&bankroll=0'), [
      `query.wallet ${MISSING}`,
      `query.bankroll ${AT_LEAST_1}`,
      `query.threshold ${NO_NUMBER}`,
    ]);
    assert.deepEqual(query(portfolioQuery, 'bankroll=x'), [
      `query.wallet ${MISSING}`,
      `query.bankroll ${NO_NUMBER}`,
    ]);
    assert.deepEqual(query(tweetsQuery, 'offset=x&limit=0'), [
      `query.limit ${AT_LEAST_1}`,
      `query.offset ${NO_INTEGER}`,
    ]);
  });

  it('calls whatever is no choice by the same fault', () => {
    for (const text of ['25', '', '0', 'x', '24.5']) {
      assert.deepEqual(query(historyQuery, `horizon=${text}`), [
        'query.horizon enum: Input should be 24, 48 or 72',
      ]);
    }
    assert.deepEqual(query(historyQuery, 'horizon=48.0'), { horizon: 48, days: 30 });
  });

  it('refuses a span that ends before it starts', () => {
    assert.deepEqual(query(usageByEndpointQuery, 'start=5&end=5'), { start: 5, end: 5 });
    assert.deepEqual(query(usageByEndpointQuery, 'start=5&end=4'), [
      'query.end value_error: Value error, end must not be before start',
    ]);
    assert.deepEqual(query(usageByEndpointQuery, 'start=a&end=4'), [`query.start ${NO_INTEGER}`]);
  });

  it('reads back whatever a caller may send', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.nat(), (limit, offset) => {
        const sent = new URLSearchParams({ offset: String(offset), limit: String(limit) });
        assert.deepEqual(query(tweetsQuery, String(sent)), { limit, offset });
      }),
    );
  });

  it('answers any text with a value inside the bounds or with faults', () => {
    const texts = fc.string({ unit: 'binary', maxLength: 40 });
    fc.assert(
      fc.property(fc.oneof(texts, texts.map(encoded), fc.webQueryParameters()), (text) => {
        const result = query(tweetsQuery, `limit=${text}`);
        if (Array.isArray(result)) assert.ok(result.length > 0);
        else assert.ok(Number.isInteger(result.limit) && result.limit >= 1 && result.limit <= 100);
      }),
    );
  });
});

function encoded(text: string): string {
  return new URLSearchParams({ a: text }).toString().slice(2);
}

describe('readBody', () => {
  const agent = { type: 'agent', case: 'x', name: 'a b_c-1', wallet: WALLET };
  const human = { type: 'human', case: 'x', email: 'a@b.co' };

  it('reads an agent and a human, with nulls for what they need not give', () => {
    assert.deepEqual(body(agent), agent);
    assert.deepEqual(body({ ...human, name: null, wallet: null }), { ...human, name: null, wallet: null });
  });

  it('keeps named fields only, whatever the others are called', () => {
    const text = `{"type":"human","case":"x","email":"a@b.co","__proto__":{"name":"x"},"constructor":1,"z":[]}`;
    assert.deepEqual(raw(text), human);
    assert.deepEqual(raw('{"__proto__":{"type":"human","case":"x","email":"a@b.co"}}'), [
      `body.type ${MISSING}`,
      `body.case ${MISSING}`,
    ]);
  });

  it('takes the last of a repeated key', () => {
    assert.deepEqual(raw('{"type":"human","case":"x","email":"a@b.co","email":"c@d.co"}'), {
      ...human,
      email: 'c@d.co',
    });
  });

  it('reports an empty body and null as missing, and a value that is no object by its fault', () => {
    assert.deepEqual(raw(''), [`body ${MISSING}`]);
    assert.deepEqual(raw(' null '), [`body ${MISSING}`]);
    for (const text of ['"x"', '5', 'true', '[]', '[{}]']) {
      assert.deepEqual(raw(text), [
        'body model_attributes_type: Input should be a valid dictionary or object to extract fields from',
      ]);
    }
  });

  it('finds where a text stops being JSON', () => {
    assert.deepEqual(raw('{"type":}'), ['body.8 json_invalid: JSON decode error']);
    assert.deepEqual(raw('{"case":NaN}'), ['body.8 json_invalid: JSON decode error']);
    assert.deepEqual(raw('{"case":"\\ud800"}'), ['body.10 json_invalid: JSON decode error']);
    assert.deepEqual(
      attempt(() => readBody(waitlistBody, '{"a":"😀",}', '')),
      ['body.9 json_invalid: JSON decode error'],
    );
  });

  it('requires the fields of each type once all fields are valid', () => {
    assert.deepEqual(body({ type: 'agent', case: 'x' }), [`body.name ${MISSING}`, `body.wallet ${MISSING}`]);
    assert.deepEqual(body({ type: 'agent', case: 'x', name: null, wallet: WALLET }), [
      `body.name ${MISSING}`,
    ]);
    assert.deepEqual(body({ type: 'human', case: 'x', email: null }), [`body.email ${MISSING}`]);
    assert.deepEqual(body({ type: 'agent', case: 5, name: 6, email: 7 }), [
      `body.case ${NO_STRING}`,
      `body.name ${NO_STRING}`,
      `body.email ${NO_STRING}`,
    ]);
  });

  it('requires nothing more for an unknown type', () => {
    const known = `literal_error: Input should be 'agent' or 'human'`;
    for (const type of ['bot', 'Agent', '', null, 5, ['agent']]) {
      assert.deepEqual(body({ type, case: 'x' }), [`body.type ${known}`]);
    }
    assert.deepEqual(body({ type: 'bot', case: null }), [`body.type ${known}`, `body.case ${NO_STRING}`]);
    assert.deepEqual(body({ case: 'x' }), [`body.type ${MISSING}`]);
  });

  it('counts code points', () => {
    const long = ['body.case string_too_long: String should have at most 500 characters'];
    assert.equal(Array.isArray(body({ ...agent, case: '😀'.repeat(500) })), false);
    assert.deepEqual(body({ ...agent, case: '😀'.repeat(501) }), long);
    assert.deepEqual(body({ ...agent, case: 'x'.repeat(501) }), long);
    assert.deepEqual(body({ ...agent, case: 'x'.repeat(5_000) }), long);
    assert.equal(Array.isArray(body({ ...agent, case: '' })), false);
  });

  it('reports a length before a pattern, and the whole pattern', () => {
    const name = `string_pattern_mismatch: String should match pattern '^[a-zA-Z0-9 _-]+$'`;
    const wallet = `string_pattern_mismatch: String should match pattern '^0x[a-fA-F0-9]{40}$'`;
    const email = `string_pattern_mismatch: String should match pattern '^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$'`;
    assert.deepEqual(body({ ...agent, name: '', wallet: '' }), [
      `body.name ${name}`,
      `body.wallet ${wallet}`,
    ]);
    assert.deepEqual(body({ ...agent, name: 'a\n', wallet: `${WALLET}\n` }), [
      `body.name ${name}`,
      'body.wallet string_too_long: String should have at most 42 characters',
    ]);
    for (const text of ['nope', 'a@b', 'a@b.', '@b.co', 'a b@c.de', 'a@b.co\n']) {
      assert.deepEqual(body({ ...human, email: text }), [`body.email ${email}`]);
    }
    assert.deepEqual(body({ ...human, email: `a@b.c${'o'.repeat(150)}` }), [
      'body.email string_too_long: String should have at most 150 characters',
    ]);
  });

  it('answers any JSON with a value or with faults', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.jsonValue(), fc.record({ type: fc.jsonValue(), case: fc.jsonValue() })),
        (value) => {
          const result = body(value);
          assert.ok(!Array.isArray(result) || result.length > 0);
        },
      ),
    );
  });
});
