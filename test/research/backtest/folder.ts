import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for one suite, gone afterwards. */
export function useFolder() {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'tallywire-backtest-'));
  });
  after(() => rm(folder, { recursive: true }));
  return {
    path: (name: string) => join(folder, name),
    async write(name: string, text: string): Promise<string> {
      await writeFile(join(folder, name), text);
      return join(folder, name);
    },
  };
}

export function postsCsv(posts: Iterable<number>): string {
  return `created_ts,is_reply\n${Array.from(posts, (at) => `${at},0\n`).join('')}`;
}
