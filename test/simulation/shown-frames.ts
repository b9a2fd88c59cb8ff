import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Store } from '../../src/store/store.ts';
import { parsedJson } from './parsed-json.ts';
import { createSentTexts } from './sent-texts.ts';
import type { Part } from './simulated-disk.ts';
import type { SimulatedSocket } from './simulated-socket.ts';
import type { Violations } from './violations.ts';

const update = z.object({
  type: z.literal('update'),
  channel: z.string(),
  account: z.string().nullable(),
  epoch: z.string(),
  seq: z.number(),
  prev_seq: z.number(),
  ts: z.number(),
  key: z.string(),
  data: z.unknown(),
});
type Update = z.infer<typeof update>;

/** The first line of a stored frame: key, causes, and whether the record is gone. */
const storedHead = z.tuple([z.string(), z.array(z.string()), z.boolean()]);
const storedBatch = z.object({
  epoch: z.string(),
  rows: z.array(z.object({ topic: z.string(), seq: z.number(), at: z.number(), text: z.string() })),
});

const storedOutputs = z.array(
  z.object({ stream: z.string(), key: z.string(), cause: z.string(), seq: z.number() }),
);

const POST_ID = /"tweet_id":"(\d+)"/g;
const TWEETS = 'tweets/';
const NEW_POST = 'new_post';
/** What follows in the JSON of a record says when it was made. */
const AS_OF = ',"as_of":';
/** Frames are kept for at least this long. */
const KEPT_MS = 24 * 3_600_000;

interface ShownFrames {
  /** Posts that readers were told of. */
  readonly posts: ReadonlySet<string>;
  /** Watches the frames that a server sends over a connection, and passes them on. */
  watch(server: SimulatedSocket, onText: (text: string) => void): void;
  /** Watches the answers to requests that a server sends. */
  watchAnswers(server: SimulatedSocket): void;
  /** Told what the disk keeps. */
  onKept(part: Part, method: string, args: readonly unknown[]): void;
  /** Looks for everything that was shown; to be called when the engine was killed, and at the end. */
  checkKept(): void;
  /** Looks whether the frames of a day can be read from the first to the last; `now` is UTC ms. */
  checkResumable(now: number): void;
}

interface ShownOptions {
  readonly kept: Store;
  readonly violations: Violations;
}

/** Compares the frames that readers are sent with those on disk, at the moment they are sent and ever after. */
export function createShownFrames({ kept, violations }: ShownOptions): ShownFrames {
  const { check } = violations;
  const posts = new Set<string>();
  /** A digest of each frame that was sent, by epoch, topic and seq. */
  const contents = new Map<string, string>();
  /** The observation that each post was new with. */
  const announced = new Map<string, number>();
  /** The record that was last told of each post. */
  const told = new Map<string, string>();
  const lastStored = new Map<string, number>();
  const lastShown = new Map<string, number>();
  /** Of each topic those that may still have to be there, oldest first. */
  const stillKept = new Map<string, { readonly seq: number; readonly at: number }[]>();

  function show(frame: Update, topic: string, sent: Map<string, number>): void {
    const { epoch, seq, ts, key, data } = frame;
    const name = `${epoch} ${topic} ${seq}`;
    const [row] = kept.feed.read(topic, seq - 1, 1);
    const head = row && storedHead.parse(JSON.parse(row.text.split('\n', 1)[0] ?? ''));
    check(
      6,
      row?.seq === seq && row.at === ts && head?.[0] === key && kept.feed.head()?.epoch === epoch,
      () => `${name} of ${key} at ${ts} is sent, and the disk has ${row?.text.slice(0, 80)} at ${row?.at}`,
    );
    const content = createHash('sha1')
      .update(JSON.stringify([ts, key, data]))
      .digest('base64');
    const before = contents.get(name);
    check(
      7,
      before === undefined || before === content,
      () => `${name} of ${key} had another content before`,
    );
    contents.set(name, content);
    const last = sent.get(topic);
    check(
      8,
      last === undefined || frame.prev_seq === last,
      () => `${name} follows ${frame.prev_seq}, and ${last} was sent`,
    );
    sent.set(topic, seq);
    lastShown.set(topic, Math.max(seq, lastShown.get(topic) ?? 0));
    if (!topic.startsWith(TWEETS)) return;
    posts.add(key);
    check(6, kept.outputs.get('posts', key) !== undefined, () => `${name}: the post ${key} is not on disk`);
  }

  function onOutputs(method: string, args: readonly unknown[]): void {
    // All of it is computed anew then.
    if (method === 'clear') announced.clear();
    if (method !== 'append') return;
    for (const { stream, key, cause, seq } of storedOutputs.parse(args[0])) {
      if (stream !== 'posts' || cause !== NEW_POST) continue;
      const before = announced.get(key);
      check(3, before === undefined, () => `the post ${key} is new with ${before}, and again with ${seq}`);
      announced.set(key, seq);
    }
  }

  return {
    posts,
    watch(server, onText) {
      const sent = new Map<string, number>();
      server.onSend = createSentTexts((text) => {
        onText(text);
        if (text.startsWith('{"type":"snapshot"')) {
          const { channel, account, seq } = placeOf.parse(parsedJson(text));
          sent.set(topicOf(channel, account, seq), seq);
        }
        if (!text.startsWith('{"type":"update"')) return;
        const frame = update.parse(parsedJson(text));
        show(frame, topicOf(frame.channel, frame.account, frame.seq), sent);
      });
    },
    watchAnswers(server) {
      server.onSend = (bytes) => {
        for (const [, id = ''] of bytes.toString('latin1').matchAll(POST_ID)) {
          const isKept = kept.outputs.get('posts', id) !== undefined;
          check(6, isKept, () => `the post ${id} is in an answer, and not on disk`);
          posts.add(id);
        }
      };
    },
    onKept(part, method, args) {
      if (part === 'outputs') onOutputs(method, args);
      if (part !== 'feed' || method !== 'append') return;
      for (const { topic, seq, at, text } of storedBatch.parse(args[0]).rows) {
        const last = lastStored.get(topic);
        check(8, last === undefined || seq === last + 1, () => `${topic} ${seq} is stored after ${last}`);
        lastStored.set(topic, seq);
        const frames = stillKept.get(topic) ?? [];
        stillKept.set(topic, frames);
        frames.push({ seq, at });
        if (!topic.startsWith(TWEETS)) continue;
        const [head = '', record = ''] = text.split('\n', 2);
        const [key] = storedHead.parse(JSON.parse(head));
        const [content = ''] = record.split(AS_OF, 1);
        const name = `${topic} ${key}`;
        check(3, told.get(name) !== content, () => `${name} is told again by ${seq}: ${content}`);
        told.set(name, content);
      }
    },
    checkKept() {
      for (const id of posts)
        check(5, kept.outputs.get('posts', id) !== undefined, () => `the post ${id} was shown and is gone`);
      const stored = new Map(kept.feed.topics().map(({ topic, seq }) => [topic, seq]));
      for (const [topic, seq] of lastShown)
        check(
          5,
          (stored.get(topic) ?? 0) >= seq,
          () => `${topic} ${seq} was shown, and ${stored.get(topic)} is the last`,
        );
    },
    checkResumable(now) {
      for (const [topic, last] of lastStored) {
        const rows = kept.feed.read(topic, 0, Number.MAX_SAFE_INTEGER);
        const first = rows[0]?.seq ?? last + 1;
        check(
          8,
          rows.length === last - first + 1 && (rows.at(-1)?.seq ?? last) === last,
          () => `${topic}: ${rows.length} frames from ${first} to ${last}`,
        );
        const frames = stillKept.get(topic) ?? [];
        const old = frames.findIndex(({ at }) => at >= now - KEPT_MS);
        frames.splice(0, old === -1 ? frames.length : old);
        const oldest = frames[0];
        const isWhole = oldest === undefined || first <= oldest.seq;
        check(8, isWhole, () => `${topic}: the frames from ${oldest?.seq} on are gone up to ${first}`);
      }
    },
  };
}

const placeOf = z.object({ channel: z.string(), account: z.string().nullable(), seq: z.number() });

/** What FREE sees otherwise than PRO is numbered from here on, and stored by itself. */
const FIRST_FREE = 1_000_000_000_000;

function topicOf(channel: string, account: string | null, seq: number): string {
  const name = account === null ? channel : `${channel}/${account}`;
  return seq < FIRST_FREE ? name : `${name} FREE`;
}
