import assert from 'node:assert/strict';
import * as z from 'zod';
import { checkedFetch } from '../support/answer-check.ts';
import { eventually } from '../support/eventually.ts';

/** Asks everything that an OpenAPI document describes, for every account that it lists. */

const parameterSchema = z.object({
  name: z.string(),
  in: z.string(),
  required: z.boolean(),
  schema: z.looseObject({ enum: z.array(z.union([z.string(), z.number()])).optional() }),
  example: z.union([z.string(), z.number(), z.boolean()]).optional(),
});
const refSchema = z.object({ $ref: z.string() });
const operationSchema = z.object({
  parameters: z.array(z.union([refSchema, parameterSchema])).default([]),
});
const documentSchema = z.object({
  paths: z.record(z.string(), z.record(z.string(), operationSchema)),
  components: z.object({ parameters: z.record(z.string(), z.looseObject({})) }),
});

const metaSchema = z.object({ data: z.tuple([z.object({ event_id: z.number() })]).rest(z.unknown()) });

type Parameter = z.output<typeof parameterSchema>;

/** A stream, and the probe that fails after the process was blocked, as it may be on a busy machine. */
const LEFT_OUT: readonly string[] = ['/api/v1/feed', '/livez'];

/** In a path, in place of the id of an event. */
const EVENT = '{event}';

export interface Asked {
  readonly path: string;
  /** Undefined for what is not about one account. */
  readonly account: string | undefined;
}

/** All that was asked and answered 200 as documented. Throws at the first other answer. */
export async function askEverything(url: string, key: string): Promise<readonly Asked[]> {
  const { paths, components } = documentSchema.parse(
    await (await fetch(`${url}/api/v1/openapi.json`)).json(),
  );
  const asked = Object.entries(paths)
    .filter(([path]) => !LEFT_OUT.includes(path))
    .flatMap(([path, methods]) => {
      // A POST stores something and is not about an account.
      const operation = methods.get;
      if (operation === undefined) return [];
      const parameters = operation.parameters.flatMap((parameter) => {
        const found = '$ref' in parameter ? components.parameters[nameOf(parameter.$ref)] : parameter;
        const read = parameterSchema.safeParse(found);
        return read.success ? [read.data] : [];
      });
      return asksOf(path, parameters);
    });
  for (const { path, account } of asked) {
    // A market that does not answer in time is answered 503, as it may be on a busy machine.
    await eventually(`${path} can be answered`, async () => {
      const filled = path.includes(EVENT)
        ? path.replace(EVENT, await eventOf(url, account ?? '', key))
        : path;
      const response = await checkedFetch(`${url}${filled}`, { headers: { 'X-API-Key': key } });
      const body = await response.text();
      if (response.status === 503) return false;
      assert.equal(response.status, 200, `${path}: ${body.slice(0, 300)}`);
      return true;
    });
  }
  return asked;
}

/** The id of an active event of the account. */
async function eventOf(url: string, account: string, key: string): Promise<string> {
  const response = await fetch(`${url}/api/v1/meta/${account}`, { headers: { 'X-API-Key': key } });
  const [first] = metaSchema.parse(await response.json()).data;
  return String(first.event_id);
}

function nameOf(reference: string): string {
  return reference.split('/').at(-1) ?? '';
}

/** A path once for each account, with the parameters that it needs; and once without where the account is left out. */
function asksOf(path: string, parameters: readonly Parameter[]): readonly Asked[] {
  const needed = parameters
    .filter(({ in: place, required }) => place === 'query' && required)
    .map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`);
  const withQuery = (filled: string, query: readonly string[]) =>
    query.length === 0 ? filled : `${filled}?${query.join('&')}`;
  const account = parameters.find(({ name }) => name === 'account');
  const values = account?.schema.enum?.map(String) ?? [];
  if (account?.in === 'path') {
    assert.ok(values.length > 0, `${path} lists no account`);
    return values.map((value) => ({
      path: withQuery(path.replace('{account}', value), needed),
      account: value,
    }));
  }
  return [
    { path: withQuery(path, needed), account: undefined },
    ...values.map((value) => ({ path: withQuery(path, [...needed, `account=${value}`]), account: value })),
  ];
}
