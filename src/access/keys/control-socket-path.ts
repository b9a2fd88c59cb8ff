import { realpathSync } from 'node:fs';
import { socketPathOf } from '../../store/unix-socket-path.ts';

/** Where orders go to an engine that runs on this folder, under whatever path it is named. */
export function controlSocketPathOf(folder: string): string {
  return socketPathOf(realpathSync(folder), 'control');
}
