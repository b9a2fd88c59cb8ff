import type { FeedCause } from '../../contract/feed/names.ts';
import type { Audience } from '../../views/audience.ts';
import type { Topic } from '../channels.ts';

/** A numbered change of one record. */
export interface Frame {
  readonly topic: Topic;
  readonly seq: number;
  /** When its observation was received, UTC ms. */
  readonly at: number;
  readonly causes: readonly FeedCause[];
  readonly key: string;
  readonly isGone: boolean;
  /** JSON of the record, or `null` when it is gone. */
  data(audience: Audience): string;
}

export const GONE = 'null';

/** `prevSeq` is the seq that the reader was sent before; frames in between were merged into later ones. */
export function updateText(epoch: string, frame: Frame, prevSeq: number, audience: Audience): string {
  const { topic, seq, at, causes, key } = frame;
  const merged = seq - prevSeq - 1;
  return (
    `{"type":"update",${placeText(epoch, topic, seq)},"prev_seq":${prevSeq},"ts":${at},` +
    `"cause":${JSON.stringify(causes)},${merged > 0 ? `"merged":${merged},` : ''}` +
    `"key":${JSON.stringify(key)},"data":${frame.data(audience)}}`
  );
}

/** The records of a topic as of `seq`, as a JSON array, and whether these are all. */
interface Snapshot {
  readonly topic: Topic;
  readonly seq: number;
  readonly at: number;
  readonly data: string;
  readonly areAllKnown: boolean;
}

export function snapshotText(epoch: string, { topic, seq, at, data, areAllKnown }: Snapshot): string {
  return (
    `{"type":"snapshot",${placeText(epoch, topic, seq)},"prev_seq":null,"ts":${at},` +
    `"cause":[],${areAllKnown ? '' : '"events_known":false,'}"data":${data}}`
  );
}

function placeText(epoch: string, { channel, account }: Topic, seq: number): string {
  const name = account === null ? 'null' : JSON.stringify(account.segment);
  return `"channel":"${channel.name}","account":${name},"epoch":"${epoch}","seq":${seq}`;
}
