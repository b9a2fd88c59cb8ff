import assert from 'node:assert/strict';
import fc from 'fast-check';
import { createLog } from '../../src/cli/log.ts';
import { redact, redactText } from '../../src/cli/redact.ts';
import { ServiceError } from '../../src/errors.ts';

const WALLET = '0x52908400098527886E0F7030069857D2E4169EE7';

/** What a logger writes while `use` runs. */
function logged(use: (log: ReturnType<typeof createLog>) => void): string {
  let text = '';
  const write = (line: string) => {
    text += line;
  };
  use(createLog('info', { write }));
  return text;
}

describe('redactText', () => {
  it('shortens wallets and takes out keys and e-mail addresses', () => {
    assert.equal(redactText('sent tw_pro_dc0D73GRwLsc9Ms9KSsa9DBr15JWEZ.'), 'sent [redacted].');
    assert.equal(redactText(`paid by ${WALLET}`), 'paid by 0x5290…9EE7');
    assert.equal(redactText('from jane.doe+x@example.org today'), 'from [redacted] today');
    assert.equal(redactText('0x52908400'), '0x52908400');
  });
});

describe('redact', () => {
  it('takes out secrets by name, at any depth and in any case', () => {
    const secret = 'do-not-tell';
    fc.assert(
      fc.property(
        fc.constantFrom('x-api-key', 'X-API-Key', 'x402', 'authorization', 'email', 'token', 'postsToken'),
        fc.array(fc.constantFrom('headers', 'request', 'ctx'), { maxLength: 4 }),
        (name, path) => {
          const record = path.reduceRight<object>((inner, key) => ({ [key]: inner }), { [name]: secret });
          assert.doesNotMatch(JSON.stringify(redact(record)), /do-not-tell/);
        },
      ),
    );
  });

  it('keeps values that are no secret', () => {
    const record = { seq: 5, ok: true, none: null, list: [1, 'two'], yesToken: '123' };
    assert.deepEqual(redact(record), record);
  });

  it('ends at something circular', () => {
    const record: Record<string, unknown> = { name: 'loop' };
    record.self = record;
    assert.match(JSON.stringify(redact(record)), /\[deep\]/);
  });
});

describe('createLog', () => {
  it('writes JSON lines of the level asked for, with secrets taken out', () => {
    const text = logged((log) => {
      log.debug('not shown');
      log.info({ headers: { 'X-API-Key': 'tw_pro_1' }, wallet: WALLET }, `hello ${WALLET}`);
    });
    const { level, msg, headers, wallet } = JSON.parse(text);
    assert.deepEqual([level, msg, wallet], ['info', 'hello 0x5290…9EE7', '0x5290…9EE7']);
    assert.deepEqual(headers, { 'X-API-Key': '[redacted]' });
  });

  it('shows the code and the cause of an error', () => {
    const cause = new Error(`refused ${WALLET}`);
    const text = logged((log) =>
      log.error({ err: new ServiceError('STORE_FULL', 'no space', { cause }) }, 'failed'),
    );
    const { err } = JSON.parse(text);
    assert.deepEqual([err.type, err.code, err.message], ['ServiceError', 'STORE_FULL', 'no space']);
    assert.equal(err.cause.message, 'refused 0x5290…9EE7');
    assert.match(err.stack, /redact\.test/);
  });
});
