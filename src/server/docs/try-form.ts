import { type Json, jsonOf, listOf, nameOfRef, textOf } from './json.ts';
import { escaped } from './markup.ts';
import type { PageFacts } from './page-frame.ts';

interface Asked {
  readonly path: string;
  readonly method: string;
  readonly operation: Json;
  readonly parameters: readonly Json[];
  readonly components: Json;
}

/** Required values that only the page can know when it is looked at, by name of the parameter. */
const FILLED_BY_PAGE = new Set(['event', 'start', 'end']);

/** What to try an operation with. What is filled in beforehand works as it is; what nobody can know is left open. */
export function tryForm(asked: Asked, facts: PageFacts): string {
  const { path, method, operation, parameters, components } = asked;
  if (Object.keys(contentOf(operation)).includes('text/event-stream')) {
    return facts.hasFeed ? '<p><a href="docs/feed#listen">Listen to the feed</a></p>' : '';
  }
  const id = textOf(operation.operationId);
  const inputs = parameters
    .filter((parameter) => parameter.in !== 'header')
    .map((parameter) => inputMarkup(`${id}-${textOf(parameter.name)}`, parameter, facts));
  return `<form class="try" aria-label="Try ${escaped(id)}" data-method="${method.toUpperCase()}" data-path="${escaped(path)}">
${inputs.join('\n')}
${bodyMarkup(id, operation, components, facts)}
<p class="send"><button type="submit">Send</button>${keyOffer(operation, facts)}</p>
<output></output>
</form>`;
}

function contentOf(operation: Json): Json {
  return jsonOf(jsonOf(jsonOf(operation.responses)[200]).content);
}

/** Says which key is needed, and in the demo has one. */
function keyOffer(operation: Json, { isDemo }: PageFacts): string {
  const tier = operation['x-tier'];
  if (tier !== 'PRO' && tier !== 'INTERNAL') return '';
  const key = tier === 'PRO' ? 'demo_pro' : 'demo_internal';
  const offer = isDemo
    ? ` <button type="button" data-use-key="${key}">Use <code>${key}</code></button>`
    : ' Enter one above.';
  return ` <span class="needs" data-tier="${tier}">Needs ${tier === 'PRO' ? 'a' : 'an'} ${tier} key.${offer}</span>`;
}

function inputMarkup(id: string, parameter: Json, facts: PageFacts): string {
  const name = textOf(parameter.name);
  const where = textOf(parameter.in);
  const isRequired = parameter.required === true;
  const attributes = `id="${escaped(id)}" name="${escaped(name)}" data-in="${where}"${isRequired ? ' required' : ''}`;
  const label = `<label for="${escaped(id)}">${escaped(name)}</label>`;
  const values = valuesOf(jsonOf(parameter.schema));
  if (name === 'account') {
    const [first = ''] = values;
    const value = isRequired ? ` value="${escaped(first)}"` : '';
    return `<p>${label}<input ${attributes} list="accounts" autocomplete="off"${value}></p>`;
  }
  if (values.length > 0) {
    const options = ['', ...values].map(
      (value) => `<option value="${escaped(value)}">${escaped(value || 'not given')}</option>`,
    );
    return `<p>${label}<select ${attributes}>${options.join('')}</select></p>`;
  }
  const value = isRequired ? knownValue(name, parameter, facts) : '';
  const fill = FILLED_BY_PAGE.has(name) && isRequired ? ` data-fill="${name}"` : '';
  return `<p>${label}<input ${attributes} autocomplete="off"${value === '' ? '' : ` value="${escaped(value)}"`}${fill}></p>`;
}

function valuesOf({ enum: values, type }: Json): readonly string[] {
  if (type === 'boolean') return ['true', 'false'];
  return listOf(values).map(String);
}

/** Examples of numbers work anywhere; ids of something are only known where it is. */
function knownValue(name: string, { schema, example }: Json, { demoWallet = '' }: PageFacts): string {
  if (name === 'wallet') return demoWallet;
  return jsonOf(schema).type === 'number' && typeof example === 'number' ? String(example) : '';
}

function bodyMarkup(id: string, operation: Json, components: Json, { accounts }: PageFacts): string {
  const content = jsonOf(jsonOf(jsonOf(operation.requestBody).content)['application/json']);
  const name = nameOfRef(jsonOf(content.schema).$ref);
  if (name === undefined) return '';
  const [example] = listOf(jsonOf(jsonOf(components.schemas)[name]).examples);
  const body = jsonOf(example);
  // The account of an example is not always one that is followed here.
  const own = 'account' in body ? { ...body, account: accounts[0] } : body;
  return `<p><label for="${escaped(id)}-body">body</label><textarea id="${escaped(id)}-body" name="body" rows="9" spellcheck="false">${escaped(JSON.stringify(own, undefined, 2))}</textarea></p>`;
}
