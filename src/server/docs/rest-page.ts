import { type Json, jsonOf, listOf, nameOfRef, textOf } from './json.ts';
import { blockMarkup, escaped, inlineMarkup } from './markup.ts';
import { framed, type PageFacts } from './page-frame.ts';
import { schemasMarkup, typeMarkup } from './schema-markup.ts';
import { tryForm } from './try-form.ts';

const METHODS = ['get', 'post', 'delete'] as const;

/** The page of the OpenAPI document. */
export function restPage(document: Json, facts: PageFacts): string {
  const info = jsonOf(document.info);
  const components = jsonOf(document.components);
  const operations = Object.entries(jsonOf(document.paths)).flatMap(([path, item]) =>
    METHODS.flatMap((method) => {
      const operation = jsonOf(item)[method];
      return operation === undefined ? [] : [{ path, method, operation: jsonOf(operation) }];
    }),
  );
  const tags = listOf(document.tags).map((tag) => jsonOf(tag));
  const sections = tags.map(({ name, description }) => {
    const own = operations.filter(({ operation }) => listOf(operation.tags).includes(name));
    return `<section aria-labelledby="${escaped(textOf(name))}">
<h2 id="${escaped(textOf(name))}">${escaped(textOf(name))}</h2>
<p>${inlineMarkup(textOf(description))}.</p>
${own.map((each) => operationMarkup(each, components, facts)).join('\n')}
</section>`;
  });
  return framed(
    {
      title: 'tallywire API',
      toRoot: '',
      current: 'rest',
      document: 'openapi',
      contents: [
        ...tags.map(({ name }) => ({ id: textOf(name), title: textOf(name) })),
        { id: 'schemas', title: 'Schemas' },
      ],
      body: `${blockMarkup(textOf(info.description))}
${sections.join('\n')}
<section aria-labelledby="schemas">
<h2 id="schemas">Schemas</h2>
${schemasMarkup(jsonOf(components.schemas))}
</section>`,
    },
    facts,
  );
}

interface Described {
  readonly path: string;
  readonly method: (typeof METHODS)[number];
  readonly operation: Json;
}

function operationMarkup({ path, method, operation }: Described, components: Json, facts: PageFacts): string {
  const id = escaped(textOf(operation.operationId));
  const parameters = listOf(operation.parameters).map((each) =>
    resolved(jsonOf(each), components.parameters),
  );
  return `<details class="operation" id="${id}">
<summary><span class="method ${method}">${method.toUpperCase()}</span> <code class="path">${escaped(path)}</code> <span class="about">${inlineMarkup(textOf(operation.summary))}</span></summary>
<p>${inlineMarkup(textOf(operation.description))}</p>
${parametersMarkup(parameters)}
${tryForm({ path, method, operation, parameters, components }, facts)}
${answersMarkup(jsonOf(operation.responses), components)}
</details>`;
}

function resolved(value: Json, named: unknown): Json {
  const name = nameOfRef(value.$ref);
  return name === undefined ? value : jsonOf(jsonOf(named)[name]);
}

function parametersMarkup(parameters: readonly Json[]): string {
  if (parameters.length === 0) return '';
  const rows = parameters.map((parameter) => {
    const schema = jsonOf(parameter.schema);
    const usual =
      schema.default === undefined ? '' : `, ${escaped(JSON.stringify(schema.default) ?? '')} unless given`;
    const need = parameter.required === true ? '' : ', optional';
    return `<dt><code class="name">${escaped(textOf(parameter.name))}</code> <span class="type">${escaped(textOf(parameter.in))}: ${typeMarkup(schema)}${need}${usual}</span></dt>
<dd>${inlineMarkup(textOf(parameter.description))}</dd>`;
  });
  return `<p class="label">Parameters</p>
<dl class="fields">${rows.join('\n')}</dl>`;
}

function answersMarkup(responses: Json, components: Json): string {
  const rows = Object.entries(responses).map(([status, response]) => {
    const { description, content } = resolved(jsonOf(response), components.responses);
    const kinds = Object.entries(jsonOf(content)).map(([type, body]) => {
      const schema = jsonOf(jsonOf(body).schema);
      return schema.$ref === undefined ? escaped(type) : typeMarkup(schema);
    });
    return `<dt><code class="name">${escaped(status)}</code> <span class="type">${kinds.join(', ')}</span></dt>
<dd>${inlineMarkup(textOf(description))}</dd>`;
  });
  return `<p class="label">Answers</p>
<dl class="fields">${rows.join('\n')}</dl>`;
}
