import { extname } from 'node:path';
import { type Child, startChild } from '../support/child.ts';

/** What the service does in one life. */
export interface Life {
  readonly data: string;
  /** Where its clock begins, UTC ms, and how many of its milliseconds pass in one. */
  readonly wallAt: number;
  readonly speed: number;
  /** Whether it lives on for `runMs` only once it has counted an event. */
  readonly countsFirst: boolean;
  readonly runMs: number;
  /** Paths it is asked for. */
  readonly asks: readonly string[];
  readonly paymentIds: readonly string[];
}

/** Where the lives on a folder log their errors. */
export function logOf(data: string): string {
  return `${data}.log`;
}

export interface Answer {
  readonly path: string;
  readonly status: number;
  /** The data of a 200, the code of anything else. */
  readonly text: string;
}

export interface Ended {
  readonly is: 'ended';
  readonly answers: readonly Answer[];
  /** The first difference between what is stored and what follows from the log. */
  readonly difference: string | null;
  /** When the oldest observation of the log was received. */
  readonly fromAt: number;
  readonly keys: readonly string[];
  readonly places: readonly string[];
  readonly payments: readonly string[];
  readonly wallAt: number;
}

export interface Refused {
  readonly is: 'refused';
  readonly code: string;
  readonly message: string;
}

export type LifeEnd =
  | Ended
  | (Refused & { readonly when: Stage })
  | { readonly is: 'crashed'; readonly how: string; readonly when: Stage };

/** How far a life came: `stopped` reads back what the folder holds, which the service itself need not have read. */
type Stage = 'starting' | 'up' | 'stopped';

/** The same before all that is stored was read, which damage that nobody has met may end. */
type Lived = Omit<Ended, 'is'> & { readonly is: 'lived' };

const CHILD = new URL(`./damage-child${extname(import.meta.url)}`, import.meta.url);
/** Far more than any life takes. A loop inside of it would be found by this. */
const LONGEST_LIFE_MS = 180_000;
/** Characters of what a crashed process said last. */
const MOST_SAID = 500;

interface Lives {
  live(life: Life): Promise<LifeEnd>;
  close(): Promise<void>;
}

/** Lives in a process that is started again when one of them has ended it. */
export function createLives(): Lives {
  let child: Child | undefined;
  return {
    live(life) {
      const running = child ?? startChild(CHILD, []);
      child = running;
      return new Promise((resolve) => {
        let when: Stage = 'starting';
        let lived: Ended | undefined;
        let said = '';
        const onError = (bytes: Buffer) => {
          said = `${said}${bytes.toString()}`.slice(-MOST_SAID);
        };
        running.process.stderr?.on('data', onError);
        const deadline = setTimeout(() => running.process.kill('SIGKILL'), LONGEST_LIFE_MS);
        const end = (how: LifeEnd) => {
          clearTimeout(deadline);
          running.process.off('message', onMessage);
          running.process.stderr?.off('data', onError);
          resolve(how);
        };
        // Sent by damage-child.ts.
        const onMessage = (
          message: Ended | Refused | Lived | { readonly is: 'up' } | { readonly is: 'stopped' },
        ) => {
          if (message.is === 'up' || message.is === 'stopped') when = message.is;
          else if (message.is === 'lived') lived = { ...message, is: 'ended' };
          else end(message.is === 'refused' ? { ...message, when } : message);
        };
        running.process.on('message', onMessage);
        void running.ended().then((how) => {
          if (child === running) child = undefined;
          end(lived ?? { is: 'crashed', how: `${how}: ${said.trim()}`, when });
        });
        running.process.send({ ...life });
      });
    },
    async close() {
      child?.process.kill('SIGKILL');
      await child?.ended();
    },
  };
}
