import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import * as z from 'zod';
import { openApiDocument } from '../../src/contract/openapi/document.ts';
import { ACCOUNTS } from './accounts.ts';

/** Compares answers with the OpenAPI document: anything that is not in it must not be sent. */

const responseSchema = z.object({
  $ref: z.string().optional(),
  headers: z.record(z.string(), z.unknown()).optional(),
  content: z
    .record(
      z.string(),
      z.object({ schema: z.unknown(), examples: z.record(z.string(), z.unknown()).optional() }),
    )
    .optional(),
});
const documentSchema = z.object({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.object({ responses: z.record(z.string(), responseSchema) })),
  ),
  components: z.object({
    schemas: z.record(z.string(), z.unknown()),
    responses: z.record(z.string(), responseSchema),
  }),
});

const { paths, components } = documentSchema.parse(openApiDocument(ACCOUNTS));
const ajv = new Ajv2020({ allErrors: true, validateFormats: false, allowUnionTypes: true });
ajv.addSchema({ $id: 'components', $defs: Object(closed(components.schemas)) });
const validators = new Map<string, ValidateFunction>();

/** Statuses that any request may be answered with, even without such an operation. */
const ANYWHERE: ReadonlySet<number> = new Set([400, 404, 405, 408]);
/** Headers that callers act on. */
const HEADERS = [
  'etag',
  'ratelimit',
  'ratelimit-policy',
  'retry-after',
  'www-authenticate',
  'x-ratelimit-limit',
];
/** Headers that are always sent where they are documented. */
const CERTAIN = ['etag', 'retry-after', 'www-authenticate'];

export interface Asked {
  readonly method: string;
  /** With or without a query. */
  readonly path: string;
}

export interface Answered {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

const templates = Object.keys(paths)
  .filter((path) => path.includes('{'))
  .map((path) => ({ path, pattern: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`) }));

/** The operations of a path, which may be that of an account. */
function methodsOf(pathname: string): (typeof paths)[string] | undefined {
  const template = templates.find(({ pattern }) => pattern.test(pathname));
  return paths[pathname] ?? (template && paths[template.path]);
}

/** Throws unless the document describes the answer. */
export function checkAnswer({ method, path }: Asked, { status, headers, body }: Answered): void {
  const [pathname = ''] = path.split('?');
  const name = `${method} ${path} ${status}`;
  const isHead = method === 'HEAD';
  const operation = methodsOf(pathname)?.[isHead ? 'get' : method.toLowerCase()];
  const documentedResponse = operation?.responses[status];
  if (documentedResponse === undefined) {
    if (method === 'OPTIONS' && status === 204) return;
    assert.ok(operation === undefined || ANYWHERE.has(status), `${name} is not documented`);
    assert.ok(status >= 400, `${name} is no operation of the document`);
    const isOfAccount = status === 404 && methodsOf(pathname) !== undefined;
    if (!isHead)
      checkBody(name, { $ref: `#/components/schemas/${isOfAccount ? 'AccountUnknown' : 'Error'}` }, body);
    return;
  }
  const response =
    documentedResponse.$ref === undefined
      ? documentedResponse
      : components.responses[documentedResponse.$ref.split('/').at(-1) ?? ''];
  assert.ok(response, `${name} refers to no response`);

  const documented = Object.keys(response.headers ?? {}).map((header) => header.toLowerCase());
  const sent = HEADERS.filter((header) => headers.has(header));
  // Every answer to a caller with a limit has the headers of the limit.
  const undocumented = sent.filter((header) => !documented.includes(header) && !header.includes('ratelimit'));
  assert.deepEqual(undocumented, [], `${name} has headers that are not documented`);
  const missing = CERTAIN.filter((header) => documented.includes(header) && !headers.has(header));
  assert.deepEqual(missing, [], `${name} lacks headers that are documented`);

  if (isHead) return;
  const [mediaType = ''] = (headers.get('content-type') ?? '').split(';');
  if (response.content === undefined) {
    assert.equal(body, '', `${name} has a body`);
    return;
  }
  const content = response.content[mediaType];
  assert.ok(content, `${name} is sent as ${mediaType}`);
  if (mediaType !== 'application/json') return;
  checkBody(name, content.schema, body);
  // The examples of an error are its codes.
  const codes = content.examples && Object.keys(content.examples);
  if (codes) assert.ok(codes.includes(Object(JSON.parse(body)).code), `${name} has another code: ${body}`);
}

/** Throws unless a text is JSON that fits a schema of the document. */
export function checkBody(name: string, schema: unknown, body: string): void {
  const key = JSON.stringify(schema);
  let validate = validators.get(key);
  if (validate === undefined) {
    validate = ajv.compile(Object(closed(schema)));
    validators.set(key, validate);
  }
  const value: unknown = JSON.parse(body);
  assert.ok(validate(value), `${name}: ${ajv.errorsText(validate.errors)} in ${body.slice(0, 400)}`);
}

/** The same schemas without room for fields that are not described, and with references as ajv finds them. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const copy: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(node)) {
    copy[key] =
      key === '$ref'
        ? String(value).replace('#/components/schemas/', 'components#/$defs/')
        : key === 'examples'
          ? value
          : closed(value);
  }
  if (copy.type === 'object' && copy.properties !== undefined) copy.additionalProperties = false;
  return copy;
}

/** `fetch` of the service, with every answer compared with the document. */
export async function checkedFetch(url: string, init: RequestInit = {}): Promise<Response> {
  const response = await fetch(url, init);
  const { pathname, search } = new URL(url);
  const { status, headers } = response;
  const body = await response.clone().text();
  checkAnswer({ method: init.method ?? 'GET', path: pathname + search }, { status, headers, body });
  return response;
}
