import type { Notes } from '../store.ts';
import type { Environment } from './environment.ts';

export function openNotes({ durable, notes }: Environment): Notes {
  return {
    get: (name) => notes.get(name),
    async set(name, value) {
      const size = { rows: 1, bytes: Buffer.byteLength(value) };
      await durable(() => notes.put(name, value), `the note ${name}`, size);
    },
  };
}
