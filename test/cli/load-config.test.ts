import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/cli/load-config.ts';
import { parseConfig } from '../../src/config/config.ts';
import { ConfigError } from '../../src/errors.ts';

describe('loadConfig', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tallywire-'));
    writeFileSync(join(folder, 'good.json'), '{ "port": 77, "accountA": "first" }');
    writeFileSync(join(folder, 'other.json'), '{ "port": 78 }');
    writeFileSync(
      join(folder, 'faulty.json'),
      '{\n  "port": "x",\n  "accounts": [\n    { "id": "a" },\n    { "id": "B", "handel": "h" },\n    { "name": "no id" }\n  ]\n}\n',
    );
    writeFileSync(join(folder, 'bad.json'), '{ "postsToken": "very-secret" ');
  });
  after(() => rmSync(folder, { recursive: true }));

  function faults(flags: Record<string, unknown>, env: Record<string, string> = {}): string[] {
    try {
      loadConfig(parseConfig, { flags, env });
    } catch (error) {
      assert.ok(error instanceof ConfigError);
      return error.message.split('\n');
    }
    return [];
  }

  it('reads the file that a flag names, or else the environment', () => {
    const env = { TALLYWIRE_CONFIG: join(folder, 'other.json') };
    assert.equal(loadConfig(parseConfig, { flags: {}, env }).port, 78);
    const flags = { config: join(folder, 'good.json') };
    const { port, accounts } = loadConfig(parseConfig, { flags, env });
    assert.deepEqual([port, accounts[0]?.segment], [77, 'first']);
    assert.equal(loadConfig(parseConfig, { flags: { ...flags, port: '79' }, env }).port, 79);
  });

  it('reports an unreadable file together with every other fault', () => {
    const path = join(folder, 'none.json');
    assert.deepEqual(faults({ config: path, port: 'x' }), [
      `--config: cannot read the config file ${path}: there is no such file or folder`,
      "--port: expected an integer from 0 to 65535, found 'x'",
    ]);
  });

  it('does not quote a file that is not JSON', () => {
    const path = join(folder, 'bad.json');
    assert.deepEqual(faults({}, { TALLYWIRE_CONFIG: path }), [
      `TALLYWIRE_CONFIG: the config file ${path} is not valid JSON from line 1, column 31 on`,
    ]);
  });

  it('names the line and the column of every fault in the file', () => {
    const path = join(folder, 'faulty.json');
    const id = 'expected up to 32 small letters, digits, _ and -, found';
    assert.deepEqual(faults({ config: path, host: 'h' }).toSorted(), [
      `${path}:2:3: port: expected an integer from 0 to 65535, found 'x'`,
      `${path}:5:18: accounts[1].handel: unknown setting, did you mean handle`,
      `${path}:5:7: accounts[1].id: ${id} 'B'`,
      `${path}:6:5: accounts[2].id: ${id} nothing`,
    ]);
  });
});
