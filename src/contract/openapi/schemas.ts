import * as z from 'zod';
import { EXAMPLES } from '../examples.ts';
import { COMPONENTS, type ComponentName } from './components.ts';

export type Json = Readonly<Record<string, unknown>>;

const PREFIX = '#/components/schemas/';

export function schemaRef(name: ComponentName): Json {
  return { $ref: `${PREFIX}${name}` };
}

let components: Json | undefined;

/** The JSON Schema of every component; they refer to each other by name. Made once, as it takes a while. */
export function componentSchemas(): Json {
  components ??= makeComponentSchemas();
  return components;
}

function makeComponentSchemas(): Json {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(COMPONENTS)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => `${PREFIX}${id}` });
  const examples = new Map<string, unknown>(Object.entries(EXAMPLES));
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => {
      const example = examples.get(name);
      return [name, { ...Object(tidied(schema)), ...(example === undefined ? {} : { examples: [example] }) }];
    }),
  );
}

interface QueryParameter extends Json {
  readonly name: string;
  readonly description: string;
}

const parametersOf = new WeakMap<z.ZodObject, readonly QueryParameter[]>();

/** The parameters of a query as OpenAPI objects, made once for each query. */
export function queryParameters(query: z.ZodObject): readonly QueryParameter[] {
  let parameters = parametersOf.get(query);
  if (parameters === undefined) {
    parameters = makeQueryParameters(query);
    parametersOf.set(query, parameters);
  }
  return parameters;
}

function makeQueryParameters(query: z.ZodObject): readonly QueryParameter[] {
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input' });
  return Object.entries(properties).map(([name, property]) => {
    const { description, examples, ...schema } = Object(tidied(property));
    return {
      name,
      in: 'query',
      required: required.includes(name),
      description,
      schema,
      example: Array.isArray(examples) ? examples[0] : undefined,
    };
  });
}

/**
 * Removes what does not help a reader: the bounds of safe integers, the pattern of a date, and keywords of a schema
 * that is a document of its own. Objects stay open, since fields may be added.
 */
export function tidied(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(tidied);
  if (typeof node !== 'object' || node === null) return node;
  const isDate = 'format' in node && node.format === 'date-time';
  const kept = Object.entries(node).filter(([key, value]) => {
    if (key === '$schema' || key === '$id' || key === 'additionalProperties') return false;
    if (key === 'pattern' && isDate) return false;
    return Math.abs(Number(value)) !== Number.MAX_SAFE_INTEGER;
  });
  return Object.fromEntries(kept.map(([key, value]) => [key, key === 'examples' ? value : tidied(value)]));
}

/** The schemas that something refers to, directly or through another one. */
export function usedSchemas(schemas: Json, referring: readonly unknown[]): Json {
  const used = new Set<string>();
  const waiting = referring.flatMap(namesIn);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (used.has(name)) continue;
    used.add(name);
    waiting.push(...namesIn(schemas[name]));
  }
  return Object.fromEntries(Object.entries(schemas).filter(([name]) => used.has(name)));
}

/** The components that a part of the document refers to. */
function namesIn(node: unknown): readonly string[] {
  if (Array.isArray(node)) return node.flatMap(namesIn);
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) =>
    key === '$ref' && typeof value === 'string' && value.startsWith(PREFIX)
      ? [value.slice(PREFIX.length)]
      : namesIn(value),
  );
}
