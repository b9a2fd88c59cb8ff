import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { Snapshots } from './bus.ts';
import { BusError } from './bus-error.ts';
import { checkName } from './names.ts';
import { joinParts } from './parts.ts';
import type { Stream } from './transport.ts';
import type { Values } from './values.ts';

/** A snapshot is replaced while it is read every few minutes at most. */
const MOST_ATTEMPTS = 5;

const manifestSchema = z.object({
  id: z.string(),
  place: z.int().min(0),
  parts: z.int().min(0),
  sha256: z.string(),
});
type Manifest = Readonly<z.infer<typeof manifestSchema>>;

interface SnapshotsOptions {
  readonly stream: Stream;
  /** Of the same stream. */
  readonly values: Values;
  readonly largestBody: number;
  readonly newId: () => string;
}

/**
 * Parts of each snapshot under a name of its own, then a manifest that names them. A reader finds the manifest first, so
 * it never sees half a snapshot; parts that no manifest names are removed with the next one.
 */
export function createSnapshots({ stream, values, largestBody, newId }: SnapshotsOptions): Snapshots {
  const manifestKey = (shard: string) => `${checkName(shard)}.manifest`;
  const partKey = (shard: string, id: string, part: number) => `${checkName(shard)}.part.${id}.${part}`;

  const readManifest = async (shard: string) => {
    const value = await values.retry(() => values.get(manifestKey(shard)));
    if (value === undefined) return undefined;
    const manifest: Manifest = manifestSchema.parse(JSON.parse(Buffer.from(value.bytes).toString()));
    return { manifest, revision: value.revision };
  };

  const readParts = async (shard: string, { id, parts }: Manifest): Promise<Uint8Array[] | undefined> => {
    const found: Uint8Array[] = [];
    for (let part = 1; part <= parts; part++) {
      const message = await values.retry(() => values.get(partKey(shard, id, part)));
      if (message === undefined) return undefined;
      found.push(message.bytes);
    }
    return found;
  };

  return {
    async save(shard, place, chunks) {
      const before = await readManifest(shard);
      if (before !== undefined && before.manifest.place >= place) return false;
      const id = newId();
      const hash = createHash('sha256');
      let firstPlace: number | undefined;
      let parts = 0;
      for await (const body of inBodies(chunks, largestBody)) {
        hash.update(body);
        const key = partKey(shard, id, ++parts);
        const revision = await values.retry(() => values.replace(key, body, 0));
        firstPlace ??= revision;
      }
      const manifest: Manifest = { id, place, parts, sha256: hash.digest('hex') };
      const bytes = Buffer.from(JSON.stringify(manifest));
      const saved = await values.retry(() =>
        values.replace(manifestKey(shard), bytes, before?.revision ?? 0),
      );
      if (saved === undefined) {
        // Another one was faster, and may have removed some of these parts.
        await values.retry(() => stream.purge(`${shard}.part.${id}`));
        return false;
      }
      await values.retry(() => stream.purge(`${shard}.part`, firstPlace ?? saved));
      return true;
    },
    async newest(shard) {
      for (let attempt = 1; attempt <= MOST_ATTEMPTS; attempt++) {
        const found = await readManifest(shard);
        if (found === undefined) return undefined;
        const parts = await readParts(shard, found.manifest);
        if (parts === undefined) continue;
        const bytes = joinParts(parts);
        if (createHash('sha256').update(bytes).digest('hex') !== found.manifest.sha256) {
          throw new BusError('BUS_DAMAGED', `the newest snapshot of shard ${shard} is damaged`);
        }
        return { place: found.manifest.place, bytes };
      }
      throw new BusError('BUS_DAMAGED', `the newest snapshot of shard ${shard} lacks a part`);
    },
  };
}

/** The same bytes in bodies of exactly `size`, but for the last one. */
async function* inBodies(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  size: number,
): AsyncGenerator<Uint8Array> {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; ) {
      const piece = chunk.subarray(at, at + size - heldBytes);
      held.push(piece);
      heldBytes += piece.length;
      at += piece.length;
      if (heldBytes < size) continue;
      yield joinParts(held);
      held = [];
      heldBytes = 0;
    }
  }
  if (heldBytes > 0) yield joinParts(held);
}
