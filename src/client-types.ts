import * as z from 'zod';
import * as alertRules from './contract/alert-rule.ts';
import * as clientMessages from './contract/feed/client-message.ts';
import * as serverFrames from './contract/feed/server-frames.ts';
import { COMPONENTS } from './contract/openapi/components.ts';
import * as params from './contract/params.ts';

/** Prints the types of the wire as plain TypeScript, so that the client's types need no schema and no zod. */

type Json = Readonly<Record<string, unknown>>;
const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const REF = '#/';

/** The type of what a JSON Schema describes. */
function typeText(schema: unknown): string {
  if (!isJson(schema)) return 'unknown';
  if (typeof schema.$ref === 'string') return `Components['${schema.$ref.slice(REF.length)}']`;
  if ('const' in schema) return JSON.stringify(schema.const);
  if (Array.isArray(schema.enum)) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  for (const [key, sign] of [
    ['anyOf', ' | '],
    ['oneOf', ' | '],
    ['allOf', ' & '],
  ] as const) {
    // Some parts only say which fields of the whole are needed.
    const parts = listOf(schema[key])
      .map(typeText)
      .filter((part) => part !== 'unknown');
    if (parts.length > 0) return parts.map((part) => `(${part})`).join(sign);
  }
  if (Array.isArray(schema.type)) {
    return schema.type.map((type: unknown) => `(${typeText({ ...schema, type })})`).join(' | ');
  }
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'number':
    case 'integer':
      return 'number';
    case 'array':
      return arrayText(schema);
    case 'object':
      return objectText(schema);
    default:
      return 'unknown';
  }
}

function arrayText({ items, prefixItems }: Json): string {
  const first = listOf(prefixItems);
  if (first.length > 0) return `readonly [${first.map(typeText).join(', ')}]`;
  return `readonly (${typeText(items)})[]`;
}

function objectText({ properties, required, additionalProperties: others }: Json): string {
  const needed = new Set(listOf(required));
  const fields = Object.entries(isJson(properties) ? properties : {}).map(([name, schema]) => {
    const about = isJson(schema) && typeof schema.description === 'string' ? schema.description : undefined;
    const comment = about === undefined ? '' : `/** ${about.replaceAll('*/', '* /')} */ `;
    return `${comment}readonly ${JSON.stringify(name)}${needed.has(name) ? '' : '?'}: ${typeText(schema)}${needed.has(name) ? '' : ' | undefined'};`;
  });
  if (others !== undefined && others !== false) {
    fields.push(`readonly [name: string]: ${fields.length > 0 ? 'unknown' : typeText(others)};`);
  }
  return fields.length === 0 ? '{}' : `{\n${fields.join('\n')}\n}`;
}

/** Each named schema that the declarations of the client may speak of. */
const SCHEMAS: Readonly<Record<string, unknown>> = {
  ...alertRules,
  ...clientMessages,
  ...serverFrames,
  ...params,
};

const registry = z.registry<{ id: string }>();
for (const [id, schema] of Object.entries(COMPONENTS)) registry.add(schema, { id });
const { schemas: components } = z.toJSONSchema(registry, { uri: (id) => `${REF}${id}` });

function interfaceText(name: string, types: Readonly<Record<string, string>>): string {
  const fields = Object.entries(types).map(([key, type]) => `readonly ${JSON.stringify(key)}: ${type};`);
  return `interface ${name} {\n${fields.join('\n')}\n}\n`;
}

function printed(schema: unknown, io: 'input' | 'output'): string {
  if (!(schema instanceof z.ZodType)) throw new Error('expected a schema');
  return typeText(z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' }));
}

/** The declarations of the wire, `text` as the compiler made them, without any import. */
export function plainWireTypes(text: string): string {
  const inputs: Record<string, string> = {};
  const outputs: Record<string, string> = {};
  const body = text
    .replace(/^import type .*;\n/gm, '')
    .replaceAll('RecordOf<(typeof COMPONENTS)[Name]>', 'Components[Name]')
    .replaceAll('keyof typeof COMPONENTS', 'keyof Components')
    .replaceAll('RecordOf<(typeof FEED_RECORDS)[C]>', 'FeedRecords[C]')
    .replaceAll('keyof typeof FEED_RECORDS', 'keyof FeedRecords')
    .replace(/z\.input<typeof (\w+)>/g, (_all, name: string) => {
      inputs[name] = printed(SCHEMAS[name], 'input');
      return `Inputs['${name}']`;
    })
    .replace(/RecordOf<typeof (\w+)>/g, (_all, name: string) => {
      outputs[name] = printed(SCHEMAS[name], 'output');
      return `Outputs['${name}']`;
    });
  const left = /\b(?:typeof|RecordOf|import)\b.*/.exec(body.replace(/^\s*(?:\/\*)?\*.*$|\/\*\*.*\*\//gm, ''));
  if (left !== null) throw new Error(`this is not plain: ${left[0]}`);
  const records = Object.entries(serverFrames.FEED_RECORDS).map(
    ([name, schema]) => [name, printed(schema, 'output')] as const,
  );
  return [
    interfaceText(
      'Components',
      Object.fromEntries(Object.entries(components).map(([name, schema]) => [name, typeText(schema)])),
    ),
    interfaceText('FeedRecords', Object.fromEntries(records)),
    interfaceText('Inputs', inputs),
    interfaceText('Outputs', outputs),
    body,
  ].join('\n');
}
