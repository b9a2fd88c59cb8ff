import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseYaml } from '@redocly/openapi-core';
import * as z from 'zod';
import { runProgram } from '../../../src/cli/program.ts';
import { parseConfig } from '../../../src/config/config.ts';
import { flagOf, SETTINGS, type SettingKey } from '../../../src/config/settings.ts';
import { memoryProcess } from '../../cli/memory-process.ts';
import { DEPLOY } from '../../support/bus/nats-server.ts';

const service = z.looseObject({
  image: z.string(),
  command: z.array(z.string()).default([]),
  environment: z.record(z.string(), z.string()).default({}),
  volumes: z.array(z.string()).default([]),
  depends_on: z.union([z.array(z.string()), z.record(z.string(), z.unknown())]).default([]),
});
const composeFile = z.looseObject({
  services: z.record(z.string(), service),
  volumes: z.record(z.string(), z.null()),
});

const read = (name: string) => readFileSync(join(DEPLOY, name), 'utf8');

describe('the compose file of a cluster', () => {
  const { services, volumes } = composeFile.parse(parseYaml(read('compose.yaml')));
  const entries = Object.entries(services);
  const ofProgram = (command: string) =>
    entries.filter(([, { image, command: given }]) => image === 'tallywire' && given[0] === command);

  it('has three servers, two engines, two edges and a proxy', () => {
    const count = (pattern: RegExp) => Object.keys(services).filter((name) => pattern.test(name)).length;
    assert.deepEqual([/^nats-/, /^engine-/, /^edge-/, /^proxy$/].map(count), [3, 2, 2, 1]);
  });

  it('names only services, volumes and files that there are', () => {
    for (const [, { volumes: mounts, depends_on: needed }] of entries) {
      for (const name of Array.isArray(needed) ? needed : Object.keys(needed))
        assert.ok(name in services, name);
      for (const [from = ''] of mounts.map((mount) => mount.split(':'))) {
        // Made by certificates.sh.
        const isMade = from.startsWith('./certificates');
        assert.ok(isMade || (from.startsWith('.') ? existsSync(join(DEPLOY, from)) : from in volumes), from);
      }
    }
    const proxied = [...read('haproxy.cfg').matchAll(/^ {2}server (\S+) (\S+):8080/gm)];
    assert.deepEqual(
      proxied.map(([, , host]) => host),
      ['edge-1', 'edge-2'],
    );
    const routes = [...read('nats-server.conf').matchAll(/nats-route:\/\/([\w-]+):6222\//g)].map(
      ([, host]) => host,
    );
    assert.deepEqual(routes, ['nats-1', 'nats-2', 'nats-3']);
  });

  it('starts engines and edges with settings that there are, and gives the servers all variables they read', () => {
    const keys = Object.keys(SETTINGS) as SettingKey[];
    const configs = ofProgram('start').map(([name, { command, environment }]) => {
      const flags: Record<string, string> = {};
      for (let at = 1; at < command.length; at += 2) {
        const key = keys.find((each) => flagOf(each) === command[at]);
        assert.ok(key !== undefined, `${name}: ${command[at]}`);
        flags[key] = command[at + 1] ?? '';
      }
      const { cluster } = parseConfig({ flags, env: environment });
      return [name, cluster?.role, cluster?.shard, cluster?.replicas];
    });
    assert.deepEqual(configs, [
      ['engine-1', 'engine', 'main', 3],
      ['engine-2', 'engine', 'main', 3],
      ['edge-1', 'edge', 'main', 1],
      ['edge-2', 'edge', 'main', 1],
    ]);
    const variables = new Set(read('nats-server.conf').match(/(?<=: )\$NATS_\w+/g));
    for (const [name, { environment }] of entries.filter(([name]) => name.startsWith('nats-'))) {
      assert.deepEqual(
        Object.keys(environment)
          .map((key) => `$${key}`)
          .sort(),
        [...variables].sort(),
        name,
      );
      assert.equal(environment.NATS_NAME, name);
    }
  });

  it('runs commands that there are', async () => {
    for (const [name, { command }] of [...ofProgram('world'), ...ofProgram('cluster')]) {
      const proc = memoryProcess();
      assert.equal(await runProgram([...command, '--help'], proc), 0, name);
      const words = command.filter((word) => word.startsWith('--'));
      for (const word of words) assert.ok(proc.texts.stdout.includes(word), `${name}: ${word}`);
    }
  });
});
