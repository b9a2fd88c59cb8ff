import { escaped } from './markup.ts';

/** What both pages are told about the service. */
export interface PageFacts {
  /** Path segments of the accounts. */
  readonly accounts: readonly string[];
  /** Whether the published keys of the demo are admitted. */
  readonly isDemo: boolean;
  /** A wallet to try, in the demo. */
  readonly demoWallet?: string | undefined;
  readonly hasFeed: boolean;
}

interface Frame {
  readonly title: string;
  /** From the page to the root of the site, as all addresses are relative, so that a proxy may add a prefix. */
  readonly toRoot: '' | '../';
  readonly current: 'rest' | 'feed';
  readonly document: 'openapi' | 'asyncapi';
  readonly contents: readonly { readonly id: string; readonly title: string }[];
  readonly body: string;
}

function linksOf({ toRoot, current }: Frame, { hasFeed }: PageFacts): string {
  const link = (name: Frame['current'], address: string, text: string) =>
    `<a href="${toRoot}${address}"${name === current ? ' aria-current="page"' : ''}>${text}</a>`;
  return [
    `<a href="${toRoot === '' ? './' : toRoot}">Dashboard</a>`,
    link('rest', 'docs', 'REST'),
    ...(hasFeed ? [link('feed', 'docs/feed', 'Feed')] : []),
  ].join('\n');
}

function keyForm({ isDemo }: PageFacts): string {
  const offer = isDemo
    ? '\n<button type="button" data-use-key="demo_pro">Use <code>demo_pro</code>, a key of the demo</button>'
    : '';
  return `<form class="key" aria-label="Key">
<label for="key">API key</label>
<input id="key" name="key" type="password" autocomplete="off" spellcheck="false">${offer}
<p class="hint">Without a key you are FREE. The key is kept until this tab is closed, and sent as <code>X-API-Key</code>.</p>
</form>`;
}

/** A whole page: the way back, the colours, the key, and what the page is about. */
export function framed(frame: Frame, facts: PageFacts): string {
  const { title, toRoot, document, contents, body } = frame;
  const accounts = facts.accounts.map((name) => `<option value="${escaped(name)}"></option>`).join('');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escaped(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${toRoot}docs/page.css">
<script type="module" src="${toRoot}docs/page.js"></script>
</head>
<body data-to-root="${toRoot === '' ? './' : toRoot}">
<header>
<a class="skip" href="#main">Skip to the content</a>
<p class="brand">tallywire</p>
<nav aria-label="Pages">
${linksOf(frame, facts)}
</nav>
<button type="button" class="theme" aria-label="Use dark colours">◐</button>
</header>
<div class="columns">
<nav class="contents" aria-label="On this page">
<ul>${contents.map(({ id, title: text }) => `<li><a href="#${escaped(id)}">${escaped(text)}</a></li>`).join('')}</ul>
<p><a href="${toRoot}api/v1/${document}.json">${document}.json</a></p>
</nav>
<main id="main">
<h1>${escaped(title)}</h1>
${keyForm(facts)}
${body}
</main>
</div>
<datalist id="accounts">${accounts}</datalist>
</body>
</html>
`;
}
