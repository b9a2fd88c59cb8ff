import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { AccountPath } from '../../views/account-path.ts';
import type { Answer, FileEndpoint } from '../answer.ts';
import { namesTag } from '../etag.ts';
import { SECURITY_HEADERS } from '../headers.ts';

type Headers = Readonly<Record<string, string>>;

/** The forms in which the build leaves each file, the smallest first; `identity` is the file itself. */
const ENDINGS = { br: '.br', gzip: '.gz', identity: '' } as const;
type Encoding = keyof typeof ENDINGS;
const ENCODINGS: readonly Encoding[] = ['br', 'gzip', 'identity'];

/** To be asked for again each time, which costs a 304: another version may run tomorrow. */
const KEPT: Headers = { 'Cache-Control': 'public, no-cache' };

/** What the page needs and no more: its own script and style, and this API with its feed. */
const PAGE_HEADERS: Headers = {
  ...SECURITY_HEADERS,
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

export interface DashboardDeps {
  readonly accounts: readonly AccountPath[];
  readonly hasFeed?: boolean;
  readonly isDemo?: boolean;
}

// All addresses are relative, so that a proxy may put a prefix in front.
function pageOf({ accounts, hasFeed = true, isDemo = false }: DashboardDeps): string {
  const settings = [
    `data-accounts="${accounts.map(({ segment }) => segment).join(' ')}"`,
    ...(hasFeed ? [] : ['data-feed="off"']),
    ...(isDemo ? ['data-demo-key="demo_pro"'] : []),
  ];
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="Counters, forecasts and their record, as they change">
<meta name="color-scheme" content="light dark">
<title>tallywire</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="dashboard/page.css">
<script type="module" src="dashboard/page.js"></script>
</head>
<body ${settings.join(' ')}>
<div id="page"></div>
<noscript>This page needs scripts. The same numbers are under api/v1, told of at docs.</noscript>
</body>
</html>
`;
}

/** The page a person opens, and its parts as the build left them. */
export function dashboardEndpoints(deps: DashboardDeps): readonly FileEndpoint[] {
  const bytes = Buffer.from(pageOf(deps));
  const page = { bytes, headers: tagged(bytes, PAGE_HEADERS) };
  return [
    {
      path: '/',
      access: 'open',
      answer: async ({ ifNoneMatch }) => answerOf(page, 'text/html; charset=utf-8', ifNoneMatch),
    },
    part('page.js', 'text/javascript; charset=utf-8'),
    part('page.css', 'text/css; charset=utf-8'),
  ];
}

interface Loaded {
  readonly bytes: Buffer;
  /** With a tag of its own: caches must not take one form for another. */
  readonly headers: Headers & { readonly ETag: string };
}

/** Read when first asked for, and kept: a running service does not change. */
function part(name: string, type: string): FileEndpoint {
  const kept = new Map<Encoding, Promise<Loaded>>();
  async function load(encoding: Encoding): Promise<Loaded> {
    const bytes = await readFile(new URL(`../../dashboard/${name}${ENDINGS[encoding]}`, import.meta.url));
    const encoded: Headers = encoding === 'identity' ? {} : { 'Content-Encoding': encoding };
    return { bytes, headers: tagged(bytes, { ...SECURITY_HEADERS, ...encoded, Vary: 'Accept-Encoding' }) };
  }
  return {
    path: `/dashboard/${name}`,
    access: 'open',
    async answer({ ifNoneMatch }, ctx) {
      // Whoever accepts none of them, not even the file as it is, gets that all the same.
      const encoding = ENCODINGS.find((each) => ctx.acceptsEncodings(each) === each) ?? 'identity';
      const loading = kept.get(encoding) ?? load(encoding);
      kept.set(encoding, loading);
      return answerOf(await loading, type, ifNoneMatch);
    },
  };
}

function tagged(bytes: Buffer, headers: Headers): Loaded['headers'] {
  const hash = createHash('sha256').update(bytes).digest('base64url').slice(0, 22);
  return { ...headers, ...KEPT, ETag: `"${hash}"` };
}

function answerOf({ bytes, headers }: Loaded, type: string, ifNoneMatch: string | undefined): Answer<Buffer> {
  if (ifNoneMatch !== undefined && namesTag(ifNoneMatch, headers.ETag)) {
    return { status: 304, headers, body: Buffer.alloc(0) };
  }
  const length = String(bytes.length);
  return {
    status: 200,
    headers: { ...headers, 'Content-Type': type, 'Content-Length': length },
    body: bytes,
  };
}
