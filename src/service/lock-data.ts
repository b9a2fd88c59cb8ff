import { privacyText } from '../store/private-folder.ts';
import type { Logger } from './logger.ts';
import { type Machine, thisMachine } from './machine.ts';
import type { Shutdown } from './shutdown.ts';

/** Keeps other processes out of the data folder until the shutdown, and tells when other users could read it. */
export async function lockData(
  data: string,
  log: Logger,
  shutdown: Shutdown,
  { lockFolder }: Machine = thisMachine,
): Promise<void> {
  const lock = await lockFolder(data);
  shutdown.add(() => lock.release());
  const told = privacyText(lock.privacy);
  if (told !== undefined) log.warn({ data }, told);
}
