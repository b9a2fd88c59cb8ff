import assert from 'node:assert/strict';
import { Router } from '@koa/router';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import * as z from 'zod';
import { isCounted } from '../../../src/access/gate.ts';
import { openApiDocument } from '../../../src/contract/openapi/document.ts';
import { start } from '../../server/start.ts';
import { ACCOUNTS, accountPath } from '../../support/accounts.ts';
import { checkBody } from '../../support/answer-check.ts';

const operationObject = z.object({
  operationId: z.string(),
  'x-tier': z.string(),
  'x-counted': z.boolean(),
  parameters: z
    .array(z.looseObject({ name: z.string().optional(), description: z.string().optional() }))
    .default([]),
  responses: z.record(z.string(), z.unknown()),
});
const { paths, components } = z
  .object({
    paths: z.record(z.string(), z.record(z.string(), operationObject)),
    components: z.object({
      schemas: z.record(z.string(), z.unknown()),
      responses: z.record(z.string(), z.unknown()),
    }),
  })
  .parse(openApiDocument(ACCOUNTS));
const operations = Object.entries(paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

const linting = createConfig({ extends: ['recommended-strict'] });

async function problemsOf(document: unknown): Promise<readonly string[]> {
  const problems = await lintFromString({ source: JSON.stringify(document), config: await linting });
  return problems.map(({ ruleId, message }) => `${ruleId}: ${message}`);
}

/** Every schema inside a schema, with its path. */
function* nested(node: unknown, place: string): Generator<{ place: string; node: object }> {
  if (Array.isArray(node)) for (const [at, each] of node.entries()) yield* nested(each, `${place}.${at}`);
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return;
  yield { place, node };
  for (const [key, each] of Object.entries(node)) {
    if (key !== 'examples' && key !== 'example') yield* nested(each, `${place}.${key}`);
  }
}

const node = z.looseObject({
  $ref: z.string().optional(),
  description: z.string().optional(),
  examples: z.array(z.unknown()).optional(),
  enum: z.array(z.unknown()).optional(),
  const: z.unknown().optional(),
  properties: z.record(z.string(), z.unknown()).optional(),
  items: z.unknown().optional(),
  anyOf: z.array(z.unknown()).optional(),
});

function referred($ref: string): unknown {
  return components.schemas[$ref.replace('#/components/schemas/', '')];
}

/** The example that a reader of the document sees. */
function exampleOf(schema: unknown, place: string): unknown {
  const { $ref, examples, enum: choices, const: only, properties, items, anyOf, type } = node.parse(schema);
  if (examples?.[0] !== undefined) return examples[0];
  if ($ref !== undefined) return exampleOf(referred($ref), place);
  if (only !== undefined || choices !== undefined) return only ?? choices?.[0];
  if (type === 'array') return [exampleOf(items, `${place}[]`)];
  if (properties !== undefined) {
    const entries = Object.entries(properties);
    return Object.fromEntries(entries.map(([name, each]) => [name, exampleOf(each, `${place}.${name}`)]));
  }
  if (anyOf !== undefined) return exampleOf(anyOf[0], place);
  if (type === 'boolean') return true;
  throw new Error(`${place} has no example`);
}

function isDescribed(schema: unknown): boolean {
  const { $ref, description, properties, items, anyOf } = node.parse(schema);
  if (description !== undefined || properties !== undefined) return true;
  const inner = $ref === undefined ? (items ?? anyOf?.[0]) : referred($ref);
  return inner !== undefined && isDescribed(inner);
}

describe('openApiDocument', function () {
  this.timeout(120_000);

  it('passes a strict linter', async () => {
    assert.deepEqual(await problemsOf(openApiDocument(ACCOUNTS)), []);
  });

  it('would not pass it with an error in the document', async () => {
    const document = { ...openApiDocument(ACCOUNTS), paths: { '/x': { get: { responses: {} } } } };
    assert.notDeepEqual(await problemsOf(document), []);
  });

  it('has exactly the routes that are served, for the same callers', async () => {
    const { app, stop } = await start();
    try {
      const served = app.middleware
        .flatMap((each) => ('router' in each && each.router instanceof Router ? each.router.stack : []))
        .flatMap(({ path, methods }) =>
          methods.map((method) =>
            `${method} ${path}`.replace(':account', '{account}').replace(':event', '{event}'),
          ),
        )
        .filter((route) => !route.startsWith('HEAD') && !/ \/(docs|dashboard)\//.test(route));
      const documented = operations.map(({ path, method }) => `${method.toUpperCase()} ${path}`);
      assert.deepEqual(documented.sort(), [...new Set(served)].sort());
      for (const endpoint of app.endpoints) {
        const described = paths[endpoint.template ?? endpoint.path]?.[endpoint.method.toLowerCase()];
        if (/^\/(docs|dashboard)\//.test(endpoint.path)) continue;
        assert.equal(described?.['x-tier'], endpoint.access, endpoint.path);
        assert.equal(described?.['x-counted'], isCounted(endpoint), endpoint.path);
      }
    } finally {
      await stop();
    }
  });

  it('says of every operation that reads the store that it may be damaged', () => {
    const reading = operations.filter(
      ({ path, operation: { parameters, responses } }) =>
        /\/(feed|usage\/(summary|by-endpoint|errors))$/.test(path) ||
        '402' in responses ||
        parameters.some(({ name }) => name === 'as_of'),
    );
    assert.equal(reading.length, 12);
    for (const { path, operation } of reading) {
      const [, name = ''] = /responses\/(\w+)"/.exec(JSON.stringify(operation.responses['503'] ?? '')) ?? [];
      assert.match(JSON.stringify(components.responses[name] ?? ''), /"store_damaged"/, path);
    }
  });

  it('gives every operation a unique id', () => {
    const ids = operations.map(({ operation }) => operation.operationId);
    assert.deepEqual([...new Set(ids)], ids);
  });

  it('has one path for all accounts, with those that have it as the values of its parameter', async () => {
    const document = openApiDocument([accountPath('a'), accountPath('b'), accountPath('c')]);
    const at = (...keys: readonly string[]) =>
      keys.reduce<unknown>((node, key) => Object(node)[key], document);
    const parameters = (path: string) =>
      z.array(z.looseObject({})).parse(at('paths', path, 'get', 'parameters'));
    assert.deepEqual(at('components', 'parameters', 'Account', 'schema', 'enum'), [
      'account_a',
      'account_b',
      'account_c',
    ]);
    assert.deepEqual(parameters('/api/v1/meta/{account}')[0], { $ref: '#/components/parameters/Account' });
    assert.deepEqual(parameters('/api/v1/portfolio/{account}/rebalancing')[0]?.schema, {
      type: 'string',
      enum: ['account_a', 'account_c'],
    });
    const bankroll = parameters('/api/v1/portfolio/{account}').find(({ name }) => name === 'bankroll');
    assert.match(
      String(bankroll?.description),
      /Only for `account_a`, `account_c`; otherwise answered 422\.$/,
    );
    assert.deepEqual(await problemsOf(document), []);
  });

  it('leaves out what no account has', async () => {
    const document = openApiDocument([accountPath('b')]);
    const paths = Object(document.paths);
    assert.equal(paths['/api/v1/portfolio/{account}/rebalancing'], undefined);
    assert.doesNotMatch(JSON.stringify(paths['/api/v1/portfolio/{account}']), /"bankroll"/);
    assert.deepEqual(await problemsOf(document), []);
  });

  it('describes every parameter', () => {
    const undescribed = operations.flatMap(({ path, operation }) =>
      operation.parameters
        .filter(({ $ref, description }) => $ref === undefined && !description)
        .map(({ name }) => `${path} ${name}`),
    );
    assert.deepEqual(undescribed, []);
  });

  it('has a complete and valid example of every component', () => {
    for (const [name, schema] of Object.entries(components.schemas)) {
      checkBody(name, { $ref: `#/components/schemas/${name}` }, JSON.stringify(exampleOf(schema, name)));
    }
  });

  it('describes every field', () => {
    const undescribed: string[] = [];
    for (const { place, node } of nested(components.schemas, '')) {
      // The conditions of this request repeat fields that have a description.
      if (place.startsWith('.WaitlistRequest.anyOf')) continue;
      const fields = 'properties' in node ? Object.entries(Object(node.properties)) : [];
      for (const [name, field] of fields) if (!isDescribed(field)) undescribed.push(`${place}.${name}`);
    }
    assert.deepEqual(undescribed, []);
  });

  it('has no dangling references', () => {
    const names = new Set(Object.keys(components.schemas));
    for (const { place, node } of nested(components.schemas, 'schemas')) {
      if (!('$ref' in node)) continue;
      assert.ok(names.has(String(node.$ref).replace('#/components/schemas/', '')), `${place} ${node.$ref}`);
    }
  });
});
