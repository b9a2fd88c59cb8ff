import { setTimeout as delay } from 'node:timers/promises';
import { type ServiceError, StoreError } from '../errors.ts';
import { askEngine } from './ask-engine.ts';

/** An engine that is just starting or stopping holds the folder, but takes no commands. */
const BUSY_FOLDER_MS = 10_000;
const RETRY_MS = 50;

interface Ways<T> {
  /** Reads what an engine answered. */
  readonly parse: (result: unknown) => T;
  /** What an engine refused, as an error. */
  readonly refused: (message: string) => ServiceError;
  /** Does the same in this process. */
  readonly here: () => Promise<T>;
}

/** A command is sent to the engine that runs on the folder, or done here when there is none: one writer at a time. */
export async function engineOrHere<T>(
  folder: string,
  command: Parameters<typeof askEngine>[1],
  { parse, refused, here }: Ways<T>,
): Promise<T> {
  const giveUpAt = performance.now() + BUSY_FOLDER_MS;
  for (;;) {
    const reply = await askEngine(folder, command);
    if (reply?.ok) return parse(reply.result);
    if (reply !== undefined) {
      // The engine has made the code of what it refuses, as this process would have.
      const { code, message } = reply;
      throw Object.assign(refused(message), code === undefined ? {} : { code });
    }
    try {
      return await here();
    } catch (error) {
      const isBusy = error instanceof StoreError && error.code === 'STORE_IN_USE';
      if (!isBusy || performance.now() > giveUpAt) throw error;
    }
    await delay(RETRY_MS);
  }
}
