import assert from 'node:assert/strict';
import { reportFailure } from '../../src/cli/failure.ts';
import { ConfigError, ServiceError, StoreError } from '../../src/errors.ts';
import { memoryProcess } from './memory-process.ts';

function report(error: unknown, env: Record<string, string> = {}): [code: number, stderr: string] {
  const proc = memoryProcess();
  const code = reportFailure(error, { ...proc, env });
  return [code, proc.texts.stderr];
}

describe('reportFailure', () => {
  it('is one sentence and 1 for something that failed', () => {
    assert.deepEqual(report(new StoreError('STORE_FULL', 'no space left')), [
      1,
      'tallywire: no space left (STORE_FULL)\n',
    ]);
    assert.deepEqual(report(new Error('first\nsecond')), [1, 'tallywire: first\n']);
    assert.deepEqual(report('thrown text'), [1, 'tallywire: thrown text\n']);
  });

  it('is 75 for an engine that is to be started again as a standby', () => {
    for (const code of ['CLUSTER_TERM_OVER', 'CLUSTER_BUS_LOST', 'CLUSTER_DIVERGED']) {
      assert.deepEqual(report(new ServiceError(code, 'another one leads')), [
        75,
        `tallywire: another one leads (${code})\n`,
      ]);
    }
    assert.equal(report(new ServiceError('CLUSTER_BEHIND', 'a copy is needed'))[0], 1);
  });

  it('says what can be done about a port or a folder that is taken', () => {
    const cases = [
      ['START_PORT_TAKEN', '; `--port 0` takes any free one'],
      ['START_PORT_DENIED', '; `--port 0` takes any free one'],
      ['STORE_IN_USE', '; stop that first, or name another folder with `--data`'],
      ['STORE_LAYOUT', ''],
    ] as const;
    for (const [code, remedy] of cases)
      assert.deepEqual(report(new ServiceError(code, 'it is taken')), [
        1,
        `tallywire: it is taken${remedy} (${code})\n`,
      ]);
  });

  it('explains a port that cannot be had', () => {
    const error = Object.assign(new Error('listen EADDRINUSE'), {
      code: 'EADDRINUSE',
      address: '127.0.0.1',
      port: 80,
    });
    const sentence =
      'cannot listen on 127.0.0.1:80: the port is taken by another program; `--port 0` takes any free one (START_PORT_TAKEN)';
    assert.deepEqual(report(error), [1, `tallywire: ${sentence}\n`]);
  });

  it('has words for what the system refuses, and never its codes', () => {
    const cases = [
      ["ENOENT: no such file or directory, open 'posts.csv'", 'posts.csv: there is no such file or folder'],
      ["cannot open /d: EACCES: permission denied, mkdir '/d/x'", 'cannot open /d: /d/x: permission denied'],
      ["cannot open /d/x: EACCES: permission denied, mkdir '/d/x'", 'cannot open /d/x: permission denied'],
      ["EXDEV: cross-device link not permitted, rename 'a' -> 'b'", 'a: cross-device link not permitted'],
      ['connect ECONNREFUSED 127.0.0.1:9', '127.0.0.1:9: nothing listens there'],
      ['getaddrinfo ENOTFOUND nowhere.test', 'nowhere.test: there is no such host'],
      ['write EPIPE', 'broken pipe'],
      ['listen EACCES: permission denied /d/a.sock', '/d/a.sock: permission denied'],
      ['no way: connect EACCES /d/a.sock', 'no way: /d/a.sock: permission denied'],
      ['the code EUR is no fault', 'the code EUR is no fault'],
    ] as const;
    for (const [message, sentence] of cases) {
      assert.deepEqual(report(new Error(message)), [1, `tallywire: ${sentence}\n`]);
    }
  });

  it('is a line per fault and 2 for a bad configuration', () => {
    const error = new ConfigError([
      { loc: ['--port'], msg: 'wrong', type: 'value' },
      { loc: ['--host'], msg: 'wrong too', type: 'value' },
    ]);
    assert.deepEqual(report(error), [2, 'tallywire: --port: wrong\ntallywire: --host: wrong too\n']);
  });

  it('adds the stack when debugging', () => {
    const [, stderr] = report(new Error('broken'), { TALLYWIRE_LOG_LEVEL: 'debug' });
    assert.match(stderr, /^tallywire: broken\nError: broken\n {4}at /);
  });
});
