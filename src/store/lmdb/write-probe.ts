import { execFile } from 'node:child_process';
import { constants, copyFileSync, mkdirSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { diskUse } from '../disk.ts';
import { wasEndedByStore } from './child-end.ts';
import { environmentPath } from './environment.ts';
import { removeEnvironment } from './replace-environment.ts';

const TIMEOUT_MS = 600_000;
/** The copy, and its rows written again beside the old ones. */
const ROOM = 3;
/** What write-probe-process.ts ends with at damage that the library notices itself. */
export const EXIT_DAMAGED = 3;

/** Whether a copy of the store can be written to, in a process of its own. True also when that cannot be found out. */
export async function isWritable(folder: string): Promise<boolean> {
  const copy = `${environmentPath(folder)}.probe`;
  const data = join(environmentPath(folder), 'data.mdb');
  removeEnvironment(copy);
  try {
    // A disk that fills up ends the process that writes too, which proves nothing.
    if ((await diskUse(folder)).freeBytes < ROOM * statSync(data).size) return true;
    mkdirSync(copy, { mode: 0o700 });
    copyFileSync(
      data,
      join(copy, 'data.mdb'),
      // Shares the blocks where the file system can.
      constants.COPYFILE_FICLONE,
    );
    return await survivesWriting(copy);
  } catch {
    // No room for a copy proves nothing.
    return true;
  } finally {
    removeEnvironment(copy);
  }
}

function survivesWriting(path: string): Promise<boolean> {
  const check = new URL(`./write-probe-process${extname(import.meta.url)}`, import.meta.url);
  const args = [...process.execArgv, fileURLToPath(check), path];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      args,
      { timeout: TIMEOUT_MS, killSignal: 'SIGKILL' },
      (error, _stdout, stderr) => {
        if (error === null) return resolve(true);
        resolve(error.code !== EXIT_DAMAGED && !wasEndedByStore(error.signal, stderr));
      },
    );
  });
}
