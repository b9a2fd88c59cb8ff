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
  let controlSocket: ControlSocket | undefined;
  const reported: unknown[] = [];
  const open = async (run: (command: unknown) => Promise<unknown>) => {
    controlSocket = await openControlSocket(path, run, (error) => reported.push(error));
  };
  /** Sends bytes as they are; resolves with all that came back. */
  const send = (bytes: string) =>
    new Promise<string>((resolve, reject) => {
      let text = '';
      const socket = connect(path, () => socket.write(bytes));
      socket.setEncoding('utf8').on('data', (chunk) => {
        text += chunk;
      });
      socket.on('error', reject).on('close', () => resolve(text));
    });
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tallywire-control-'));
    path = join(folder, 'control.sock');
    reported.length = 0;
  });
  afterEach(async () => {
    await controlSocket?.close();
    controlSocket = undefined;
    rmSync(folder, { recursive: true });
  });

  it('runs commands and answers them', async () => {
    await open(async (command) => ({ received: command }));
    assert.deepEqual(await askControlSocket(path, { op: 'x' }), {
      ok: true,
      result: { received: { op: 'x' } },
    });
  });

  it('can be opened by its own user alone', async () => {
    await open(async () => null);
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });

  it('leaves the rights of other files as they were', async () => {
    const before = process.umask();
    await open(async () => null);
    assert.equal(process.umask(), before);
  });

  it('answers an expected failure with its message and code, and a bug without', async () => {
    const errors = [new ServiceError('KEY_UNKNOWN', 'there is none'), new Error('a secret')];
    await open(async () => Promise.reject(errors.shift()));
    assert.deepEqual(await askControlSocket(path, {}), {
      ok: false,
      message: 'there is none',
      code: 'KEY_UNKNOWN',
    });
    assert.equal(reported.length, 0);
    assert.deepEqual(await askControlSocket(path, {}), { ok: false, message: 'the command failed' });
    assert.equal(reported.length, 1);
  });

  it('takes a line that is not JSON for no command', async () => {
    await open(async (command) => command ?? 'none');
    assert.equal(await send('hello\n'), '{"ok":true,"result":"none"}\n');
  });

  it('closes on a line that is too long', async () => {
    await open(async () => 'no');
    assert.equal(await send('x'.repeat(20_000)), '');
  });

  it('replaces a socket that a killed process left', async () => {
    writeFileSync(path, '');
    await open(async () => 2);
    assert.deepEqual(await askControlSocket(path, {}), { ok: true, result: 2 });
  });

  it('is undefined to a caller when no engine listens', async () => {
    assert.equal(await askControlSocket(path, {}), undefined);
  });
});
