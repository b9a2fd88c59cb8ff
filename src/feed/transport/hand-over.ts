import type { Socket } from 'node:net';

/** What a socket's stream stands on. */
interface Handle {
  /** Returns the error of the system, or 0. */
  writeBuffer(request: object, bytes: Uint8Array): number;
}

interface HandledSocket extends Socket {
  readonly _handle: Handle | null;
}

/** Who wrote bytes that the system did not take at once. */
export interface Waiter {
  isWaiting: boolean;
}

/**
 * Gives bytes to the system, behind all that was written before, and returns whether it has them or will. If not, they
 * are for the socket's stream: where something waits already, and where it is not to be done without.
 */
export type HandOver = (socket: Socket, bytes: Buffer, waiter: Waiter) => boolean;

/** Parts that Node does not promise to anyone, as they are in these versions of it. */
export const TRIED_WITH: readonly number[] = [20, 22, 24];

/** More is left to the stream, which knows how much waits and tells when it is gone. */
const MOST_BYTES = 16 * 1_024;

interface Parts {
  readonly WriteWrap: new () => object;
  readonly streamBaseState: ArrayLike<number>;
  readonly kLastWriteWasAsync: number;
}

function arePartsOf(value: unknown): value is Parts {
  return (
    typeof value === 'object' &&
    value !== null &&
    'WriteWrap' in value &&
    typeof value.WriteWrap === 'function' &&
    'streamBaseState' in value &&
    ArrayBuffer.isView(value.streamBaseState) &&
    'kLastWriteWasAsync' in value &&
    typeof value.kLastWriteWasAsync === 'number'
  );
}

function partsIn(major: number): Parts | undefined {
  const find: unknown = Reflect.get(process, 'binding');
  if (!TRIED_WITH.includes(major) || typeof find !== 'function') return undefined;
  try {
    const parts: unknown = Reflect.apply(find, process, ['stream_wrap']);
    return arePartsOf(parts) ? parts : undefined;
  } catch {
    // Refused to processes with restricted permissions, who get on without.
    return undefined;
  }
}

function isHandled(socket: Socket): socket is HandledSocket {
  return '_handle' in socket;
}

/**
 * A frame that goes to thousands is written thousands of times, and much of what a write takes is the bookkeeping of a
 * stream that has nothing to keep. In versions of Node that are not known the stream is not passed by: nothing
 * is handed over.
 */
export function createHandOver(major: number): HandOver {
  const parts = partsIn(major);
  if (parts === undefined) return () => false;
  const { WriteWrap, streamBaseState, kLastWriteWasAsync } = parts;
  // Used up only by bytes that have to wait.
  let request = new WriteWrap();
  return (socket, bytes, waiter) => {
    if (!isHandled(socket) || socket._handle === null || bytes.length > MOST_BYTES) return false;
    if (waiter.isWaiting || socket.writableLength > 0 || socket.writableCorked > 0) return false;
    // Of an error the stream will learn for itself, and tell everyone who listens.
    if (socket._handle.writeBuffer(request, bytes) !== 0) return false;
    if (streamBaseState[kLastWriteWasAsync] === 0) return true;
    waiter.isWaiting = true;
    const oncomplete = (status: number) => {
      waiter.isWaiting = false;
      if (status < 0) socket.destroy();
    };
    // The bytes have to stay where they are until then.
    Object.assign(request, { oncomplete, buffer: bytes });
    request = new WriteWrap();
    return true;
  };
}

export const NODE_MAJOR = Number.parseInt(process.versions.node, 10);

export const handOver = createHandOver(NODE_MAJOR);
