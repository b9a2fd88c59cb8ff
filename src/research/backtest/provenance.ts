import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import type { UsedFile } from './page-frame.ts';

export async function sha256Of(path: string): Promise<UsedFile> {
  const hash = createHash('sha256');
  for await (const part of createReadStream(path)) hash.update(part);
  return { path, sha256: hash.digest('hex') };
}
