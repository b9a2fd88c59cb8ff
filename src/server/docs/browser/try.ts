import { fillForms } from './fill.ts';

const MOST_SHOWN = 20_000;

/** The forms that send a request and show its answer. */
export function startForms(root: URL, key: () => string): void {
  const forms = [...document.querySelectorAll<HTMLFormElement>('form.try')];
  for (const form of forms) {
    form.addEventListener('submit', (event) => {
      event.preventDefault();
      void send(form, root, key());
    });
  }
  fillForms(forms, root);
}

type Field = HTMLInputElement | HTMLSelectElement;

function addressOf(form: HTMLFormElement, root: URL): URL {
  let path = form.dataset.path ?? '';
  const query = new URLSearchParams();
  for (const field of form.querySelectorAll<Field>('[data-in]')) {
    const value = field.value.trim();
    if (field.dataset.in === 'path') path = path.replace(`{${field.name}}`, encodeURIComponent(value));
    else if (value !== '') query.set(field.name, value);
  }
  const address = new URL(path.replace(/^\//, ''), root);
  address.search = query.toString();
  return address;
}

async function send(form: HTMLFormElement, root: URL, key: string): Promise<void> {
  const output = form.querySelector('output');
  if (output === null) return;
  const address = addressOf(form, root);
  const body = form.querySelector('textarea')?.value;
  const headers: Record<string, string> = {
    ...(key === '' ? {} : { 'X-API-Key': key }),
    ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
  };
  const method = form.dataset.method ?? 'GET';
  output.textContent = 'Waiting for the answer';
  const startedAt = performance.now();
  try {
    const answer = await fetch(address, { method, headers, ...(body === undefined ? {} : { body }) });
    const text = await answer.text();
    const tookMs = Math.round(performance.now() - startedAt);
    const first = `${answer.status} ${answer.statusText}, ${tookMs} ms, ${text.length} characters`;
    output.dataset.status = String(answer.status);
    output.replaceChildren(
      element('p', first),
      element('pre', curlOf({ method, address, headers, body })),
      element('pre', shortened(readable(text))),
    );
  } catch {
    output.dataset.status = '';
    output.textContent = 'The service did not answer. Is it still running?';
  }
}

function element(name: string, text: string): HTMLElement {
  const made = document.createElement(name);
  made.textContent = text;
  return made;
}

function readable(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

function shortened(text: string): string {
  const left = text.length - MOST_SHOWN;
  return left > 0 ? `${text.slice(0, MOST_SHOWN)}\n… and ${left} more characters` : text;
}

interface Sent {
  readonly method: string;
  readonly address: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
}

/** The same request for a shell. */
function curlOf({ method, address, headers, body }: Sent): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  return [
    'curl',
    ...(method === 'GET' ? [] : ['-X', method]),
    ...Object.entries(headers).flatMap(([name, value]) => ['-H', quoted(`${name}: ${value}`)]),
    ...(body === undefined ? [] : ['-d', quoted(body)]),
    quoted(address.href),
  ].join(' ');
}
