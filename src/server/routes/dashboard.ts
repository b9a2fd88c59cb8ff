import { readFile } from 'node:fs/promises';
import type { AccountPath } from '../../views/account-path.ts';
import type { FileEndpoint } from '../answer.ts';
import { escaped } from '../docs/markup.ts';
import { type Encoding, encodedFile } from '../encoded-file.ts';
import { SECURITY_HEADERS } from '../headers.ts';
import { PAGE_HEADERS, staticAnswer } from '../static-content.ts';

/** What the build adds to the name of a file for each encoding. */
const ENDINGS: Readonly<Record<Encoding, string>> = { br: '.br', gzip: '.gz', identity: '' };

interface DashboardDeps {
  readonly accounts: readonly AccountPath[];
  readonly hasFeed?: boolean;
  readonly isDemo?: boolean;
  readonly marketPages?: string | undefined;
  readonly demoWallet?: string | undefined;
}

function pageAccount({ segment, name, policy }: AccountPath) {
  return { account: segment, name, sizing: policy.hasSizing };
}

// All URLs are relative, so that a proxy may add a prefix.
function pageOf(deps: DashboardDeps): string {
  const { accounts, hasFeed = true, isDemo = false, marketPages, demoWallet } = deps;
  const settings = [
    `data-accounts="${escaped(JSON.stringify(accounts.map(pageAccount)))}"`,
    ...(hasFeed ? [] : ['data-feed="off"']),
    ...(isDemo ? ['data-demo-key="demo_pro"'] : []),
    ...(isDemo && demoWallet !== undefined ? [`data-demo-wallet="${escaped(demoWallet)}"`] : []),
    // Encoded, so that no address of another host stands in the page but as data.
    ...(marketPages === undefined ? [] : [`data-market-pages="${encodeURIComponent(marketPages)}"`]),
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
<noscript>This page needs scripts. The same numbers are under api/v1, described at docs.</noscript>
</body>
</html>
`;
}

/** The dashboard page and its script and style. */
export function dashboardEndpoints(deps: DashboardDeps): readonly FileEndpoint[] {
  const answer = staticAnswer('text/html; charset=utf-8', Buffer.from(pageOf(deps)), PAGE_HEADERS);
  return [
    { method: 'GET', path: '/', access: 'open', answer: async (call) => answer(call) },
    part('page.js', 'text/javascript; charset=utf-8'),
    part('page.css', 'text/css; charset=utf-8'),
  ];
}

/** A file that the build made, and compressed beside it. */
function part(name: string, type: string): FileEndpoint {
  return encodedFile(`/dashboard/${name}`, type, SECURITY_HEADERS, (encoding) =>
    readFile(new URL(`../../dashboard/${name}${ENDINGS[encoding]}`, import.meta.url)),
  );
}
