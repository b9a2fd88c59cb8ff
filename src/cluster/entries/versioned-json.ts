import type * as z from 'zod';
import { BusError } from '../../bus/bus-error.ts';

/** What is on the bus is one byte for its version, then JSON. Streams are compressed as a whole. */
const VERSION = 1;

/** `json` is the text of one value. */
export function encodeJson(json: string): Uint8Array {
  const bytes = Buffer.allocUnsafe(1 + Buffer.byteLength(json));
  bytes[0] = VERSION;
  bytes.write(json, 1);
  return bytes;
}

/** Throws `BUS_DAMAGED` unless the bytes are what an engine wrote. `what` completes "… is not what an engine writes". */
export function decodeJson<T>(schema: z.ZodType<T>, bytes: Uint8Array, what: string): T {
  if (bytes[0] !== VERSION) {
    throw new BusError('BUS_LAYOUT', `${what} has version ${bytes[0]}, and this program reads ${VERSION}`);
  }
  try {
    return schema.parse(
      JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8', 1)),
    );
  } catch (cause) {
    throw new BusError('BUS_DAMAGED', `${what} is not what an engine writes`, { cause });
  }
}
