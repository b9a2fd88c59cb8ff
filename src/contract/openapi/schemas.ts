import { z } from 'zod';
import { EXAMPLES } from '../examples.ts';
import { COMPONENTS, type ComponentName } from './components.ts';

export type Json = Readonly<Record<string, unknown>>;

const PREFIX = '#/components/schemas/';

export function schemaRef(name: ComponentName): Json {
  return { $ref: `${PREFIX}${name}` };
}

/** The JSON Schema of everything that goes over the wire; each refers to the others by name. */
export function componentSchemas(): Json {
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

/** The parameters of a query as OpenAPI has them. */
export function queryParameters(query: z.ZodObject): readonly Json[] {
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
 * Leaves out what is true of a value but says nothing to a reader: the bounds of safe integers and the pattern of
 * a date. Objects stay open, as fields may be added; and what belongs to a document on its own goes.
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
