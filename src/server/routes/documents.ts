import { readFile } from 'node:fs/promises';
import { API_PREFIX } from '../../contract/api-prefix.ts';
import { languageModelGuide } from '../../contract/language-model-guide.ts';
import type { AccountPath } from '../../views/account-path.ts';
import type { Endpoint, FileEndpoint } from '../answer.ts';
import { API_HEADERS, JSON_TYPE, SECURITY_HEADERS } from '../headers.ts';
import { PAGE_HEADERS, staticAnswer, staticFile } from '../static-content.ts';

// All URLs are relative, so that a proxy may add a prefix.
const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>tallywire API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="docs/renderer.css">
<script src="docs/renderer.js" defer></script>
<script src="docs/page.js" defer></script>
</head>
<body><main id="page"></main></body>
</html>
`;

const PAGE_SCRIPT = `SwaggerUIBundle({
  url: new URL('api/v1/openapi.json', document.baseURI).href,
  dom_id: '#page',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  displayRequestDuration: true,
  validatorUrl: null,
});
`;

/** The page that shows the document of the API, and the guide for language models. */
export function pageEndpoints(accounts: readonly AccountPath[]): readonly Endpoint[] {
  return [
    fixed('/docs', 'text/html; charset=utf-8', PAGE, PAGE_HEADERS),
    fixed('/docs/page.js', 'text/javascript; charset=utf-8', PAGE_SCRIPT, SECURITY_HEADERS),
    fixed('/llms.txt', 'text/markdown; charset=utf-8', languageModelGuide(accounts), SECURITY_HEADERS),
  ];
}

/**
 * The documents of both APIs, and what renders one of them on the page. They are large and rarely needed, so each is made
 * or read when it is first asked for; the schemas of all answers are loaded for them alone.
 */
export function documentEndpoints(accounts: readonly AccountPath[]): readonly FileEndpoint[] {
  return [
    later(`${API_PREFIX}/openapi.json`, JSON_TYPE, API_HEADERS, async () => {
      const { openApiDocument } = await import('../../contract/openapi/document.ts');
      return encoded(openApiDocument(accounts));
    }),
    later(`${API_PREFIX}/asyncapi.json`, JSON_TYPE, API_HEADERS, async () => {
      const { asyncApiDocument } = await import('../../contract/asyncapi/document.ts');
      return encoded(asyncApiDocument(accounts));
    }),
    rendererFile('/docs/renderer.js', 'text/javascript; charset=utf-8', 'swagger-ui-bundle.js'),
    rendererFile('/docs/renderer.css', 'text/css; charset=utf-8', 'swagger-ui.css'),
  ];
}

const encoded = (document: unknown) => Buffer.from(JSON.stringify(document));

function fixed(
  path: string,
  type: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Endpoint {
  return { path, access: 'open', answer: staticAnswer(type, body, headers) };
}

function later(
  path: string,
  type: string,
  headers: Readonly<Record<string, string>>,
  load: () => Promise<Buffer>,
): FileEndpoint {
  return { method: 'GET', path, access: 'open', answer: staticFile(load, type, headers) };
}

/** A file that the build copied from the renderer's package. */
function rendererFile(path: string, type: string, name: string): FileEndpoint {
  const location = new URL(`../renderer/${name}`, import.meta.url);
  return later(path, type, SECURITY_HEADERS, () => readFile(location));
}
