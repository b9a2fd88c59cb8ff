import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { Ajv } from 'ajv';
import * as z from 'zod';
import { asyncApiDocument } from '../../../src/contract/asyncapi/document.ts';
import { MESSAGES } from '../../../src/contract/asyncapi/messages.ts';
import { CHANNEL_NAMES, CLOSE_CODES } from '../../../src/contract/feed/names.ts';
import { ACCOUNTS } from '../../support/accounts.ts';
import { checkFrame, checkMessage } from '../../support/frame-check.ts';

const document = asyncApiDocument(ACCOUNTS);

function referencesOf(node: unknown): string[] {
  if (Array.isArray(node)) return node.flatMap(referencesOf);
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === '$ref' && typeof value === 'string' ? [value] : referencesOf(value),
  );
}

function at(reference: string): unknown {
  return reference
    .replace('#/', '')
    .split('/')
    .reduce((node: unknown, key) => Object(node)[key], document);
}

describe('asyncApiDocument', () => {
  it('is valid AsyncAPI 3.0', function () {
    this.timeout(120_000);
    const path = createRequire(import.meta.url).resolve('@asyncapi/specs/schemas/3.0.0-without-$id.json');
    const schema = z.looseObject({}).parse(JSON.parse(readFileSync(path, 'utf8')));
    const ajv = new Ajv({ strict: false, validateFormats: false });
    const validate = ajv.compile(schema);
    assert.ok(validate(document), ajv.errorsText(validate.errors));
    assert.ok(!validate({ ...document, channels: { feed: { address: 5 } } }));
  });

  it('has no dangling references', () => {
    const references = referencesOf(document);
    assert.ok(references.length > 50);
    assert.deepEqual(
      references.filter((reference) => at(reference) === undefined),
      [],
    );
  });

  it('documents every channel, every operation and every close code', () => {
    const names = MESSAGES.map(({ name }) => name);
    for (const channel of CHANNEL_NAMES) {
      const expected = channel === 'heartbeat' ? [channel] : [`${channel}Snapshot`, `${channel}Update`];
      for (const name of expected) assert.ok(names.includes(name), name);
    }
    for (const name of ['auth', 'subscribe', 'unsubscribe', 'ping']) assert.ok(names.includes(name), name);
    const text = JSON.stringify(document);
    for (const code of Object.values(CLOSE_CODES)) assert.ok(text.includes(`- ${code}: `), String(code));
  });

  it('lists the accounts that a subscription may name', () => {
    const naming = (account: string) => ({ op: 'subscribe', channels: [{ channel: 'counters', account }] });
    checkMessage('subscribe', naming('account_b'));
    assert.throws(() => checkMessage('subscribe', naming('account_c')));
    assert.throws(() => checkMessage('unsubscribe', { ...naming('account_c'), op: 'unsubscribe' }));
  });

  it('distinguishes valid frames from invalid ones', () => {
    const update = {
      type: 'update',
      channel: 'test',
      account: null,
      epoch: 'e',
      seq: 2,
      prev_seq: 1,
      ts: 5,
      cause: ['clock'],
      key: 'test',
      data: { observation: 7, ts: 5 },
    };
    checkFrame(JSON.stringify(update));
    const faulty: readonly object[] = [
      { ...update, seq: 'two' },
      { ...update, data: { observation: 7 } },
      { ...update, extra: 1 },
      { ...update, channel: 'counters' },
      { ...update, type: 'rumour' },
    ];
    for (const frame of faulty) assert.throws(() => checkFrame(JSON.stringify(frame)));
    checkMessage('subscribe', { op: 'subscribe', id: 1, channels: [{ channel: 'test' }] });
    assert.throws(() => checkMessage('subscribe', { op: 'subscribe', channels: [] }));
  });
});
