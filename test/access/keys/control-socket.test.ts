import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  askControlSocket,
  type ControlSocket,
  openControlSocket,
} from '../../../src/access/keys/control-socket.ts';
import { ServiceError } from '../../../src/errors.ts';

describe('openControlSocket', () => {
  let folder: string;
  let path: string;
  let desk: ControlSocket | undefined;
  const told: unknown[] = [];
  const open = async (serve: (order: unknown) => Promise<unknown>) => {
    desk = await openControlSocket(path, serve, (error) => told.push(error));
  };
  /** Sends bytes as they are; resolves with all that came back. */
  const say = (bytes: string) =>
    new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(path, () => socket.write(bytes));
      socket.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      socket.on('error', reject).on('close', () => resolve(text));
    });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tallywire-desk-'));
    path = join(folder, 'control.sock');
    told.length = 0;
  });
  afterEach(async () => {
    await desk?.close();
    desk = undefined;
    rmSync(folder, { recursive: true });
  });

  it('carries out orders and answers them', async () => {
    await open(async (order) => ({ heard: order }));
    assert.deepEqual(await askControlSocket(path, { op: 'x' }), { ok: true, result: { heard: { op: 'x' } } });
  });

  it('is for its own user alone', async () => {
    await open(async () => null);
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });

  it('leaves the rights of other files as they were', async () => {
    const before = process.umask();
    await open(async () => null);
    assert.equal(process.umask(), before);
  });

  it('says why it refuses what is expected to fail, and nothing of a bug', async () => {
    const errors = [new ServiceError('KEY_UNKNOWN', 'there is none'), new Error('a secret')];
    await open(async () => Promise.reject(errors.shift()));
    assert.deepEqual(await askControlSocket(path, {}), { ok: false, message: 'there is none' });
    assert.equal(told.length, 0);
    assert.deepEqual(await askControlSocket(path, {}), { ok: false, message: 'the order failed' });
    assert.equal(told.length, 1);
  });

  it('takes what is no JSON for no order', async () => {
    await open(async (order) => order ?? 'none');
    assert.equal(await say('hello\n'), '{"ok":true,"result":"none"}\n');
  });

  it('hangs up on one who says too much', async () => {
    await open(async () => 'no');
    assert.equal(await say('x'.repeat(20_000)), '');
  });

  it('takes the place of a socket that a killed process left', async () => {
    writeFileSync(path, '');
    await open(async () => 2);
    assert.deepEqual(await askControlSocket(path, {}), { ok: true, result: 2 });
  });

  it('is not there when nobody listens', async () => {
    assert.equal(await askControlSocket(path, {}), undefined);
  });
});
