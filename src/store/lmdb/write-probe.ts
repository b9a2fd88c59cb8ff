import { execFile } from 'node:child_process';
import { constants, copyFileSync, mkdirSync, statSync } from 'node:fs';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { messageOf } from '../../errors.ts';
import { diskUse } from '../disk.ts';
import { wasEndedByStore } from './child-end.ts';
import { environmentPath } from './environment.ts';
import { removeEnvironment } from './replace-environment.ts';

const TIMEOUT_MS = 600_000;
/** The copy, and some pages to begin with. No write to it begins without room, and few pages more are ever needed. */
const ROOM = 1.25;
const LEAST_BYTES = 4 * 1024 * 1024;
/** What write-probe-process.ts ends with at damage that the library notices itself. */
export const EXIT_DAMAGED = 3;

/** Whether writing to a store ends the process: proven, tried, or not known. */
type Writing = { readonly is: 'possible' | 'ended' } | { readonly is: 'unknown'; readonly reason: string };

/** Tries to write to a copy of the store, in a process of its own. */
export async function tryWriting(folder: string): Promise<Writing> {
  const copy = `${environmentPath(folder)}.probe`;
  const data = join(environmentPath(folder), 'data.mdb');
  removeEnvironment(copy);
  try {
    const needed = LEAST_BYTES + Math.ceil(ROOM * statSync(data).size);
    const { freeBytes } = await diskUse(folder);
    if (freeBytes < needed)
      return unknown(`that needs ${needed} bytes on the disk, and ${freeBytes} are free`);
    mkdirSync(copy, { mode: 0o700 });
    copyFileSync(
      data,
      join(copy, 'data.mdb'),
      // Shares the blocks where the file system can.
      constants.COPYFILE_FICLONE,
    );
    return await writeAgain(copy);
  } catch (error) {
    return unknown(messageOf(error));
  } finally {
    removeEnvironment(copy);
  }
}

function unknown(reason: string): Writing {
  return { is: 'unknown', reason: `whether it can be written to could not be tried: ${reason}` };
}

function writeAgain(path: string): Promise<Writing> {
  const check = new URL(`./write-probe-process${extname(import.meta.url)}`, import.meta.url);
  const args = [...process.execArgv, fileURLToPath(check), path];
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      args,
      { timeout: TIMEOUT_MS, killSignal: 'SIGKILL' },
      (error, _stdout, stderr) => {
        if (error === null) return resolve({ is: 'possible' });
        const isProven = error.code === EXIT_DAMAGED || wasEndedByStore(error.signal, stderr);
        resolve(isProven ? { is: 'ended' } : unknown(messageOf(error)));
      },
    );
  });
}
