import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';

/** A file that a result was computed from. */
interface UsedFile {
  readonly path: string;
  readonly sha256: string;
}

export async function sha256Of(path: string): Promise<UsedFile> {
  const hash = createHash('sha256');
  for await (const part of createReadStream(path)) hash.update(part);
  return { path, sha256: hash.digest('hex') };
}
