import { type Json, jsonOf, listOf, nameOfRef, textOf } from './json.ts';
import { escaped, inlineMarkup } from './markup.ts';

const MOST_VALUES = 16;

/** What a value may be, in few words; a named schema is a link to its own section. */
export function typeMarkup(schema: Json): string {
  const name = nameOfRef(schema.$ref);
  if (name !== undefined) return `<a href="#schema-${escaped(name)}">${escaped(name)}</a>`;
  if ('const' in schema) return valueMarkup(schema.const);
  if (Array.isArray(schema.enum)) return valuesMarkup(schema.enum);
  const choices = [...listOf(schema.anyOf), ...listOf(schema.oneOf)].map(jsonOf);
  const typed = choices.filter((choice) => typeMarkup(choice) !== '');
  if (typed.length > 0 && schema.type === undefined) return joined(typed.map(typeMarkup));
  if (Array.isArray(schema.type)) return joined(schema.type.map((type) => typeMarkup({ ...schema, type })));
  switch (schema.type) {
    case 'array':
      return `list of ${typeMarkup(jsonOf(schema.items)) || 'anything'}`;
    case 'object':
      return isMap(schema)
        ? `map to ${typeMarkup(jsonOf(schema.additionalProperties)) || 'anything'}`
        : 'object';
    case 'number':
    case 'integer':
      return `${schema.type}${rangeText(schema)}`;
    default:
      return escaped(textOf(schema.type));
  }
}

function isMap({ properties, additionalProperties }: Json): boolean {
  return Object.keys(jsonOf(properties)).length === 0 && typeof additionalProperties === 'object';
}

const joined = (types: readonly string[]) => [...new Set(types)].join(' or ');

const valueMarkup = (value: unknown) => `<code>${escaped(JSON.stringify(value) ?? '')}</code>`;

function valuesMarkup(values: readonly unknown[]): string {
  const shown = values.slice(0, MOST_VALUES).map(valueMarkup).join(' ');
  const left = values.length - MOST_VALUES;
  return left > 0 ? `${shown} and ${left} more` : shown;
}

function rangeText({ minimum, maximum }: Json): string {
  if (typeof minimum === 'number' && typeof maximum === 'number') return `, ${minimum} to ${maximum}`;
  if (typeof minimum === 'number') return `, from ${minimum}`;
  return typeof maximum === 'number' ? `, up to ${maximum}` : '';
}

interface Field {
  readonly path: string;
  readonly schema: Json;
  readonly isRequired: boolean;
}

/** The fields of an object, and after each one the fields of an object inside it. */
function fieldsOf(schema: Json, prefix = ''): readonly Field[] {
  const required = new Set(listOf(schema.required));
  return Object.entries(jsonOf(schema.properties)).flatMap(([name, value]) => {
    const path = `${prefix}${name}`;
    const own = jsonOf(value);
    const inner = own.type === 'array' ? jsonOf(own.items) : own;
    const deeper = fieldsOf(inner, own.type === 'array' ? `${path}[].` : `${path}.`);
    return [{ path, schema: own, isRequired: required.has(name) }, ...deeper];
  });
}

/** The fields of an object with their meaning, or what else the value is. */
export function schemaMarkup(schema: Json): string {
  const about = textOf(schema.description);
  const fields = fieldsOf(schema);
  return [
    about === '' ? '' : `<p>${inlineMarkup(about)}</p>`,
    fields.length === 0
      ? `<p>${typeMarkup(schema)}</p>`
      : `<dl class="fields">${fields.map(fieldMarkup).join('\n')}</dl>`,
    exampleMarkup(schema),
  ].join('\n');
}

function fieldMarkup({ path, schema, isRequired }: Field): string {
  const about = textOf(schema.description);
  return `<dt><code class="name">${escaped(path)}</code> <span class="type">${typeMarkup(schema)}${isRequired ? '' : ', optional'}</span></dt>
<dd>${inlineMarkup(about)}</dd>`;
}

function exampleMarkup(schema: Json): string {
  const [example] = listOf(schema.examples);
  if (example === undefined) return '';
  return `<p class="label">Example</p><pre>${escaped(JSON.stringify(example, undefined, 2))}</pre>`;
}

/** One section for each named schema, closed until it is asked for. */
export function schemasMarkup(schemas: Json): string {
  return Object.entries(schemas)
    .map(
      ([name, schema]) => `<details class="schema" id="schema-${escaped(name)}">
<summary><h3>${escaped(name)}</h3></summary>
${schemaMarkup(jsonOf(schema))}
</details>`,
    )
    .join('\n');
}
