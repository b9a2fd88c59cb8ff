import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseYaml } from '@redocly/openapi-core';
import * as z from 'zod';
import { parseConfig } from '../../../src/config/config.ts';
import { pageLines } from '../../support/page-lines.ts';

const root = rootAbove(dirname(fileURLToPath(import.meta.url)));

function rootAbove(folder: string): string {
  return existsSync(join(folder, 'package.json')) ? folder : rootAbove(dirname(folder));
}

const read = (name: string) => readFileSync(join(root, 'src', 'service', 'deploy', name), 'utf8');
/** The names of metrics that the page of the service lists. */
const metrics = new Set(
  pageLines('src/service/README.md').flatMap((line) => /^\| `(tallywire_\w+)` \|/.exec(line)?.[1] ?? []),
);

/** The metrics that an expression of Prometheus reads; a histogram has series of its own. */
function namedIn(expression: string): readonly string[] {
  const names = expression.match(/tallywire_\w+/g) ?? [];
  return names.map((name) => name.replace(/_(bucket|count|sum)$/, ''));
}

/** The flags of a command line as settings. */
function flagsIn(words: readonly string[]): Record<string, string> {
  const flags: Record<string, string> = {};
  for (let at = 0; at < words.length; at += 2) {
    const key = (words[at] ?? '').slice(2).replace(/-(\w)/g, (_all, letter: string) => letter.toUpperCase());
    flags[key] = words[at + 1] ?? '';
  }
  return flags;
}

describe('the files to run one process with', () => {
  it('alert on metrics that there are', () => {
    const file = z.object({
      groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string() })) })),
    });
    const rules = file.parse(parseYaml(read('alerts.yaml'))).groups.flatMap((group) => group.rules);
    assert.ok(rules.length > 5);
    for (const { expr } of rules) for (const name of namedIn(expr)) assert.ok(metrics.has(name), name);
  });

  it('alert by rules that Prometheus accepts, where its tool is installed', function () {
    const rules = join(root, 'src', 'service', 'deploy', 'alerts.yaml');
    const { error, status, stdout, stderr } = spawnSync('promtool', ['check', 'rules', rules], {
      encoding: 'utf8',
    });
    if (error !== undefined) this.skip();
    assert.equal(status, 0, stdout + stderr);
  });

  it('draw metrics that there are', () => {
    const file = z.object({
      panels: z.array(z.object({ targets: z.array(z.object({ expr: z.string() })) })),
    });
    const { panels } = file.parse(JSON.parse(read('grafana.json')));
    const names = panels.flatMap(({ targets }) => targets.flatMap(({ expr }) => namedIn(expr)));
    assert.ok(names.length > 10);
    for (const name of names) assert.ok(metrics.has(name), name);
  });

  it('start the program as npm does, with settings that there are', () => {
    const unit = read('tallywire.service');
    const [, line = ''] = /^ExecStart=(.+)$/m.exec(unit) ?? [];
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    const [, flags = ''] =
      /node (--max-semi\S+ .*) build\/program\/main\.js start$/.exec(scripts.start) ?? [];
    assert.ok(flags !== '' && line.startsWith(`/usr/bin/node ${flags} build/program/main.js start `));
    const [, given = ''] = line.split(' start ');
    const [, data = ''] = /TALLYWIRE_DATA=(\S+)/.exec(unit) ?? [];
    const config = parseConfig({ flags: flagsIn(given.split(' ')), env: { TALLYWIRE_DATA: data } });
    assert.deepEqual([config.data, config.metrics?.port], ['/var/lib/tallywire', 9464]);
    const compose = z.object({
      services: z.object({
        tallywire: z.object({ command: z.array(z.string()), environment: z.record(z.string(), z.string()) }),
      }),
    });
    const { command, environment } = compose.parse(parseYaml(read('compose.yaml'))).services.tallywire;
    assert.equal(command[0], 'start');
    assert.equal(parseConfig({ flags: flagsIn(command.slice(1)), env: environment }).host, '0.0.0.0');
  });
});
