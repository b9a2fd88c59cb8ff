import { readFile } from 'node:fs/promises';
import { API_PREFIX } from '../../contract/api-prefix.ts';
import { asyncApiDocument } from '../../contract/asyncapi/document.ts';
import { languageModelGuide } from '../../contract/language-model-guide.ts';
import { openApiDocument } from '../../contract/openapi/document.ts';
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

/** The documents of both APIs, the page that shows one of them, and the guide for language models. */
export function documentEndpoints(accounts: readonly AccountPath[]): readonly Endpoint[] {
  const document = JSON.stringify(openApiDocument(accounts));
  const feedDocument = JSON.stringify(asyncApiDocument(accounts));
  return [
    fixed(`${API_PREFIX}/openapi.json`, JSON_TYPE, document, API_HEADERS),
    fixed(`${API_PREFIX}/asyncapi.json`, JSON_TYPE, feedDocument, API_HEADERS),
    fixed('/docs', 'text/html; charset=utf-8', PAGE, PAGE_HEADERS),
    fixed('/docs/page.js', 'text/javascript; charset=utf-8', PAGE_SCRIPT, SECURITY_HEADERS),
    fixed('/llms.txt', 'text/markdown; charset=utf-8', languageModelGuide(accounts), SECURITY_HEADERS),
  ];
}

/** The renderer of the page. It is large and rarely needed, so it is read when it is first asked for. */
export function rendererEndpoints(): readonly FileEndpoint[] {
  return [
    file('/docs/renderer.js', 'text/javascript; charset=utf-8', 'swagger-ui-bundle.js'),
    file('/docs/renderer.css', 'text/css; charset=utf-8', 'swagger-ui.css'),
  ];
}

function fixed(
  path: string,
  type: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Endpoint {
  return { path, access: 'open', answer: staticAnswer(type, body, headers) };
}

/** A file that the build copied from the renderer's package. */
function file(path: string, type: string, name: string): FileEndpoint {
  const location = new URL(`../renderer/${name}`, import.meta.url);
  const answer = staticFile(() => readFile(location), type, SECURITY_HEADERS);
  return { method: 'GET', path, access: 'open', answer };
}
