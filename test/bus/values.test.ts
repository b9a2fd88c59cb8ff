import assert from 'node:assert/strict';
import { realTime } from '../../src/bus/time.ts';
import type { Published, Stream } from '../../src/bus/transport.ts';
import { createValues } from '../../src/bus/values.ts';

const OLD = Buffer.from('old');
const NEW = Buffer.from('new');

/** Values on a stream that answers a write so, and then has this as its newest message. */
function valuesOn(published: Published, there: { readonly place: number; readonly body: Uint8Array }) {
  const notAsked = () => assert.fail('not asked for');
  const stream: Stream = {
    publish: async () => published,
    newest: async (subject) => ({ ...there, subject, id: '' }),
    read: notAsked,
    ends: notAsked,
    deliver: notAsked,
    purge: notAsked,
  };
  const { signal } = new AbortController();
  return createValues({ stream, time: realTime, signal, report: () => undefined, tailLostAfterMs: 1_000 });
}

describe('replacing a value', () => {
  it('gives the revision of what was stored', async () => {
    const values = valuesOn(8, { place: 8, body: NEW });
    assert.equal(await values.replace('key', NEW, 7), 8);
  });

  it('is lost to whoever has replaced it before', async () => {
    const values = valuesOn('refused', { place: 8, body: OLD });
    assert.equal(await values.replace('key', NEW, 7), undefined);
  });

  it('was done by an earlier attempt that had no answer', async () => {
    const values = valuesOn('refused', { place: 8, body: NEW });
    assert.equal(await values.replace('key', NEW, 7), 8);
  });

  it('can be tried again where nobody heard it, as while a stream has no leader', async () => {
    const values = valuesOn('refused', { place: 7, body: OLD });
    await assert.rejects(values.replace('key', NEW, 7), { code: 'BUS_UNREACHABLE' });
  });
});
