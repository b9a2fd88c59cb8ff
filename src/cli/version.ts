import { existsSync, readFileSync } from 'node:fs';
import * as z from 'zod';

const packageShape = z.object({ name: z.literal('tallywire'), version: z.string() });

/** The version in the package's own package.json, which lies somewhere above the built files. */
export function packageVersion(): string {
  for (let folder = new URL('.', import.meta.url); ; folder = new URL('..', folder)) {
    const path = new URL('package.json', folder);
    const parsed = existsSync(path)
      ? packageShape.safeParse(JSON.parse(readFileSync(path, 'utf8')))
      : undefined;
    if (parsed?.success) return parsed.data.version;
    if (folder.pathname === '/' || folder.href === new URL('..', folder).href) return 'unknown';
  }
}
