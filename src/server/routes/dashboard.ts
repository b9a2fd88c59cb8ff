import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Answer, SlowEndpoint } from '../answer.ts';
import { namesTag } from '../etag.ts';
import { SECURITY_HEADERS } from '../headers.ts';
import type { AccountPath } from '../paths.ts';

type Headers = Readonly<Record<string, string>>;

/** To be asked for again each time, which costs a 304: another version may run tomorrow. */
const KEPT: Headers = { 'Cache-Control': 'public, no-cache' };

/** What the page needs and no more: its own script and style, and this API with its feed. */
const PAGE_HEADERS: Headers = {
  ...SECURITY_HEADERS,
  'Content-Security-Policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

// All addresses are relative, so that a proxy may put a prefix in front.
function pageOf(accounts: readonly AccountPath[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="Counters, forecasts and their record, as they change">
<title>tallywire</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="dashboard/page.css">
<script type="module" src="dashboard/page.js"></script>
</head>
<body data-accounts="${accounts.map(({ segment }) => segment).join(' ')}">
<div id="page"></div>
<noscript>This page needs scripts. The same numbers are under api/v1, told of at docs.</noscript>
</body>
</html>
`;
}

/** The page a person opens, and its parts as the build left them. */
export function dashboardEndpoints(accounts: readonly AccountPath[]): readonly SlowEndpoint[] {
  const page = pageOf(accounts);
  return [
    served('/', 'text/html; charset=utf-8', PAGE_HEADERS, async () => page),
    served('/dashboard/page.js', 'text/javascript; charset=utf-8', SECURITY_HEADERS, built('page.js')),
    served('/dashboard/page.css', 'text/css; charset=utf-8', SECURITY_HEADERS, built('page.css')),
  ];
}

/** Read when first asked for, and kept: a running service does not change. */
function built(name: string): () => Promise<string> {
  const location = new URL(`../../dashboard/${name}`, import.meta.url);
  let text: string | undefined;
  return async () => {
    text ??= await readFile(location, 'utf8');
    return text;
  };
}

function served(path: string, type: string, headers: Headers, read: () => Promise<string>): SlowEndpoint {
  return {
    method: 'GET',
    path,
    access: 'open',
    async answer({ ifNoneMatch }): Promise<Answer> {
      const body = await read();
      const etag = `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`;
      const tagged = { ...headers, ...KEPT, ETag: etag };
      if (ifNoneMatch !== undefined && namesTag(ifNoneMatch, etag)) {
        return { status: 304, headers: tagged, body: '' };
      }
      const length = String(Buffer.byteLength(body));
      return { status: 200, headers: { ...tagged, 'Content-Type': type, 'Content-Length': length }, body };
    },
  };
}
