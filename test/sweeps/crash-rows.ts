import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { KeptKey, KeptPayment, Store } from '../../src/store/store.ts';

// Names for everything that a store keeps and may have been acknowledged, so that what was acknowledged can be compared
// with what is found.

export const emailAt = (place: number) => `${place}@example.test`;
export const keyRow = (key: KeptKey) => `key ${JSON.stringify(key)}`;
export const placeRow = (position: number, email: string | null) => `place ${position} ${email}`;
export const paymentRow = (payment: KeptPayment) =>
  `payment ${payment.id} ${payment.state} ${payment.receipt}`;
export const backupRow = (name: string) => `backup ${name}`;
export const isBackupRow = (row: string) => row.startsWith('backup ');
export const postRow = (id: string) => `post ${id}`;

interface FramePlace {
  readonly topic: string;
  readonly epoch: string;
  readonly seq: number;
  readonly at: number;
  readonly key: string;
}

export const frameRow = ({ topic, epoch, seq, at, key }: FramePlace) =>
  `frame ${topic} ${seq} of ${epoch}, ${key} at ${at}`;

/** The first line of a stored frame: key, causes, and whether the record is gone. */
const storedHead = z.tuple([z.string(), z.array(z.string()), z.boolean()]);

/** What a store holds. */
export interface Kept {
  readonly head: number;
  /** A digest of each observation of the log, from the first on. */
  readonly log: readonly string[];
  /** A digest of the content of each row, by its name. */
  readonly rows: readonly (readonly [row: string, digest: string])[];
}

const digestOf = (text: string) => createHash('sha1').update(text).digest('base64');

export function keptIn(store: Store, paymentIds: readonly string[]): Kept {
  const { journal, keys, waitlist, payments, outputs, feed } = store;
  const epoch = feed.head()?.epoch ?? 'none';
  const frames = feed.topics().flatMap(({ topic }) => feed.read(topic, 0, Number.MAX_SAFE_INTEGER));
  return {
    head: journal.head,
    log: Array.from(journal.read(journal.tail), (observation) => digestOf(JSON.stringify(observation))),
    rows: [
      ...keys.all().map((key) => [keyRow(key), ''] as const),
      ...Array.from(waitlist.list(), ({ position, email }) => [placeRow(position, email), ''] as const),
      ...paymentIds.flatMap((id) => {
        const payment = payments.find(id);
        return payment === undefined ? [] : [[paymentRow(payment), digestOf(payment.order)] as const];
      }),
      ...outputs.latest('posts').map(({ key }) => [postRow(key), ''] as const),
      ...frames.map(({ topic, seq, at, text }) => {
        const [key] = storedHead.parse(JSON.parse(text.split('\n', 1)[0] ?? ''));
        return [frameRow({ topic, epoch, seq, at, key }), digestOf(text)] as const;
      }),
    ],
  };
}

/** The ids of payments among rows. */
export function paymentIdsIn(rows: Iterable<string>): readonly string[] {
  return Array.from(rows, (row) => /^payment (\S+)/.exec(row)?.[1]).filter((id) => id !== undefined);
}
