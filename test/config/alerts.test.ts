import assert from 'node:assert/strict';
import { type ConfigInput, parseConfig } from '../../src/config/config.ts';
import { ConfigError } from '../../src/errors.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const TARGET = { type: 'webhook', url: 'https://bot.example/alerts', secret: SECRET };
const RULE = { id: 'ahead', account: 'account_a', when: 'settlement_delta >= 2', target: TARGET };

const parse = (input: Partial<ConfigInput>) => parseConfig({ flags: {}, env: {}, ...input });
const rulesOf = (...alerts: readonly unknown[]) => parse({ file: { alerts } }).alerts.rules;

function faultsOf(input: Partial<ConfigInput>): readonly string[] {
  try {
    parse(input);
  } catch (error) {
    assert.ok(error instanceof ConfigError);
    return error.faults.map(({ loc, msg }) => `${loc.join('.')}: ${msg}`);
  }
  return [];
}

/** The faults of a list in the config file, without the words that all of them begin with. */
const faultsOfList = (...alerts: readonly unknown[]) =>
  faultsOf({ file: { alerts } }).map((fault) => fault.replace('config file: alerts', ''));
const placesOf = (...alerts: readonly unknown[]) =>
  faultsOfList(...alerts).map((fault) => fault.slice(0, fault.indexOf(':')));

describe('rules of alerts in the config', () => {
  it('are none unless they are given', () => {
    assert.deepEqual(parse({}).alerts, { rules: [], toPrivate: false });
    assert.deepEqual(rulesOf(), []);
  });

  it('are read as they are given, in their order', () => {
    const rules = [
      RULE,
      {
        id: 'every-field_1',
        name: 'a good price',
        account: 'account_b',
        event: 130_385,
        bucket: '140-159',
        when: 'edge >= 0.1',
        rearm: 0.05,
        once: false,
        cooldown: 300,
        target: { type: 'ntfy', url: 'https://ntfy.example/counts', token: 'tk_1' },
      },
      {
        ...RULE,
        id: 'chat',
        target: { type: 'telegram', url: 'https://chat.example/bot1:x/sendMessage', chat: '-5' },
      },
      { ...RULE, id: 'room', target: { type: 'discord', url: 'https://chat.example/webhooks/1/x' } },
    ];
    assert.deepEqual(rulesOf(...rules), rules);
  });

  it('come from the environment as JSON, whose faults are named after the variable', () => {
    const env = (value: string) => ({ env: { TALLYWIRE_ALERTS: value } });
    assert.deepEqual(parse(env(JSON.stringify([RULE]))).alerts.rules, [RULE]);
    assert.deepEqual(faultsOf(env(JSON.stringify([{ ...RULE, account: 'nobody' }]))), [
      'TALLYWIRE_ALERTS[0].account: expected the path segment of an account that is followed',
    ]);
    for (const text of ['[', 'rules', '{}'])
      assert.deepEqual(faultsOf(env(text)), ['TALLYWIRE_ALERTS: expected a list of up to 1000 rules'], text);
  });

  it('are a list of at most 1,000', () => {
    const many = (count: number) => Array.from({ length: count }, (_, n) => ({ ...RULE, id: `r${n}` }));
    assert.equal(rulesOf(...many(1_000)).length, 1_000);
    assert.deepEqual(faultsOfList(...many(1_001)), [': expected a list of up to 1000 rules']);
    assert.deepEqual(faultsOf({ file: { alerts: RULE } }), [
      'config file: alerts: expected a list of up to 1000 rules',
    ]);
  });

  it('need what every rule has, and are refused for what none has', () => {
    assert.deepEqual(placesOf({}), ['[0].id', '[0].account', '[0].when', '[0].target']);
    assert.deepEqual(placesOf(RULE, 'a rule'), ['[1]']);
    assert.deepEqual(faultsOfList({ ...RULE, whem: 'edge > 1' }), ['[0]: Unrecognized key: "whem"']);
    assert.deepEqual(faultsOfList({ ...RULE, target: { ...TARGET, tokn: 'x' } }), [
      '[0].target: Unrecognized key: "tokn"',
    ]);
  });

  it('have ids of their own', () => {
    for (const id of ['', 'Upper', 'a b', 'x'.repeat(33), 7])
      assert.deepEqual(placesOf({ ...RULE, id }), ['[0].id']);
    assert.deepEqual(faultsOfList(RULE, { ...RULE, id: 'other' }, RULE), [
      '[2].id: expected an id that no other rule has',
    ]);
  });

  it('watch accounts that are followed', () => {
    assert.deepEqual(placesOf({ ...RULE, account: 'a' }), ['[0].account']);
    const accounts = [{ id: 'x', handle: 'x' }];
    assert.deepEqual(
      faultsOf({ file: { accounts, alerts: [RULE] } }).filter((fault) => fault.includes('alerts')),
      ['config file: alerts[0].account: expected the path segment of an account that is followed'],
    );
  });

  it('have a condition of a known figure, a comparison and a number', () => {
    for (const when of ['nothing > 1', 'edge', 'edge => 1', 'edge > much', 'edge > 1 or p50 > 2', '', 5])
      assert.deepEqual(placesOf({ ...RULE, when }), ['[0].when'], String(when));
  });

  it('have fields that fit by themselves', () => {
    const faulty = {
      name: ['two\nlines', 'x'.repeat(101), 5],
      event: [-1, 1.5, '5'],
      bucket: [5, 'x'.repeat(101)],
      rearm: ['0'],
      once: ['true'],
      cooldown: [-1, 0.5, 604_801],
    };
    for (const [field, values] of Object.entries(faulty))
      for (const value of values)
        assert.deepEqual(placesOf({ ...RULE, when: 'edge > 1', [field]: value }), [`[0].${field}`]);
  });

  it('have fields that fit to each other', () => {
    assert.deepEqual(faultsOfList({ ...RULE, when: 'velocity_all_1h > 5', event: 1 }), [
      '[0].event: velocity_all_1h is a figure of the account',
    ]);
    assert.deepEqual(faultsOfList({ ...RULE, bucket: '0-19' }), [
      '[0].bucket: settlement_delta is a figure of the event',
    ]);
    const where = 'expected a number where the condition does not hold, and a condition with < or >';
    assert.deepEqual(faultsOfList({ ...RULE, rearm: 2 }), [`[0].rearm: ${where}`]);
    assert.deepEqual(faultsOfList({ ...RULE, when: 'stale_inputs == 2', rearm: 0 }), [`[0].rearm: ${where}`]);
    assert.deepEqual(faultsOfList({ ...RULE, rearm: 0, once: true }), [
      '[0].rearm: a rule with once is never armed again',
    ]);
  });

  it('have a target with what its type needs, and nothing of another type', () => {
    const faultsOfTarget = (target: object) =>
      faultsOfList({ ...RULE, target }).map((fault) => fault.replace('[0].target.', ''));
    const { url } = TARGET;
    assert.deepEqual(faultsOfTarget({ type: 'webhook', url }), ['secret: expected a secret']);
    assert.deepEqual(faultsOfTarget({ type: 'telegram', url }), ['chat: expected the chat']);
    assert.deepEqual(faultsOfTarget({ type: 'ntfy', url: 'https://ntfy.example/' }), [
      'url: expected the address of a topic',
    ]);
    assert.deepEqual(faultsOfTarget({ ...TARGET, token: 'x', chat: '-5' }), [
      'token: only a target of type ntfy has it',
      'chat: only a target of type telegram has it',
    ]);
    assert.deepEqual(faultsOfTarget({ type: 'discord', url, secret: SECRET }), [
      'secret: only a target of type webhook has it',
    ]);
    assert.match(faultsOfTarget({ type: 'pigeon', url }).join(), /^type: .*"webhook"/);
    for (const wrong of [
      'bot.example',
      'ftp://bot.example/',
      'https://me@bot.example/',
      'https://bot.example/#x',
    ])
      assert.deepEqual(
        faultsOfTarget({ ...TARGET, url: wrong }),
        ['url: expected an http or https address without a password and without #'],
        wrong,
      );
  });

  it('are all looked at, and none of their values is told, as some are secrets', () => {
    const faults = faultsOfList(
      { ...RULE, target: { ...TARGET, secret: 'hidden-one' } },
      { ...RULE, target: { ...TARGET, url: 'https://me:hidden-two@bot.example/' } },
      { ...RULE, target: { type: 'ntfy', url: 'https://ntfy.example/x', token: 'hidden three' } },
      { ...RULE, when: 'hidden-four > 1' },
    );
    assert.deepEqual(
      faults.map((fault) => fault.slice(0, fault.indexOf(':'))),
      ['[0].target.secret', '[1].target.url', '[2].target.token', '[3].when'],
    );
    assert.doesNotMatch(faults.join(), /hidden/);
  });

  it('are those of the engines of a cluster, and refused at edges', () => {
    const flags = { bus: 'nats://127.0.0.1:9', world: 'http://127.0.0.1:9' };
    assert.deepEqual(faultsOf({ flags, file: { alerts: [RULE] } }), []);
    const edge = { ...flags, role: 'edge' };
    assert.deepEqual(faultsOf({ flags: edge, file: { alerts: [] } }), []);
    assert.deepEqual(faultsOf({ flags: edge, file: { alerts: [RULE] } }), [
      'config file: alerts: expected no rules, as the engines of a cluster have them',
    ]);
  });
});
