import { readFile } from 'node:fs/promises';
import { API_PREFIX } from '../../contract/api-prefix.ts';
import { languageModelGuide } from '../../contract/language-model-guide.ts';
import type { AccountPath } from '../../views/account-path.ts';
import type { Endpoint, FileEndpoint } from '../answer.ts';
import { compressed, encodedFile } from '../encoded-file.ts';
import { API_HEADERS, JSON_TYPE, SECURITY_HEADERS } from '../headers.ts';
import { PAGE_HEADERS, staticAnswer } from '../static-content.ts';

/** What the pages tell about the service they are of. */
interface PageDeps {
  readonly accounts: readonly AccountPath[];
  readonly hasFeed?: boolean;
  readonly isDemo?: boolean;
  readonly demoWallet?: string | undefined;
}

/** The guide for language models. */
export function guideEndpoint(accounts: readonly AccountPath[]): Endpoint {
  const answer = staticAnswer('text/markdown; charset=utf-8', languageModelGuide(accounts), SECURITY_HEADERS);
  return { path: '/llms.txt', access: 'open', answer };
}

/**
 * The documents of both APIs, and a page of each. They are large and rarely needed, so each is made or read when it is first
 * asked for; the schemas of all answers are loaded for them alone.
 */
export function documentEndpoints(deps: PageDeps): readonly FileEndpoint[] {
  const { accounts, hasFeed = true, isDemo = false, demoWallet } = deps;
  const facts = {
    accounts: accounts.map(({ segment }) => segment),
    isDemo,
    hasFeed,
    demoWallet: isDemo ? demoWallet : undefined,
  };
  const openApi = async () => {
    const { openApiDocument } = await import('../../contract/openapi/document.ts');
    return openApiDocument(accounts);
  };
  const asyncApi = async () => {
    const { asyncApiDocument } = await import('../../contract/asyncapi/document.ts');
    return asyncApiDocument(accounts);
  };
  return [
    document('openapi.json', openApi),
    document('asyncapi.json', asyncApi),
    page('/docs', async () => {
      const { restPage } = await import('../docs/rest-page.ts');
      return restPage(await openApi(), facts);
    }),
    ...(hasFeed
      ? [
          page('/docs/feed', async () => {
            const { feedPage } = await import('../docs/feed-page.ts');
            return feedPage(await asyncApi(), facts);
          }),
        ]
      : []),
    pageFile('page.js', 'text/javascript; charset=utf-8'),
    pageFile('page.css', 'text/css; charset=utf-8'),
  ];
}

function document(name: string, make: () => Promise<unknown>): FileEndpoint {
  const load = compressed(async () => Buffer.from(JSON.stringify(await make())));
  return encodedFile(`${API_PREFIX}/${name}`, JSON_TYPE, API_HEADERS, load);
}

function page(path: string, make: () => Promise<string>): FileEndpoint {
  const load = compressed(async () => Buffer.from(await make()));
  return encodedFile(path, 'text/html; charset=utf-8', PAGE_HEADERS, load);
}

/** A file that the build made beside the pages. */
function pageFile(name: string, type: string): FileEndpoint {
  const location = new URL(`../docs/${name}`, import.meta.url);
  const load = compressed(() => readFile(location));
  return encodedFile(`/docs/${name}`, type, SECURITY_HEADERS, load);
}
