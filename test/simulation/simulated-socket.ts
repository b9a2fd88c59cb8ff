import { Socket } from 'node:net';
import type { Kernel, Owner } from './kernel.ts';

/** What a connection goes over. */
export interface Wire {
  readonly kernel: Kernel;
  /** Of the next piece of data, ms. */
  readonly latencyMs: () => number;
}

interface EndOptions {
  readonly wire: Wire;
  readonly owner: Owner;
  /** Of the other side, as this one sees it. */
  readonly remote: { readonly address: string; readonly port: number };
  /** The source of an engine whose connection it is, where it is one's. */
  readonly source?: string | undefined;
}

type Written = (error?: Error | null) => void;

function systemError(code: string, call: string): Error {
  return Object.assign(new Error(`${call} ${code}`), { code, syscall: call });
}

/**
 * One end of a connection in virtual time. It is one of Node's own streams, so that parsers, framing and backpressure are
 * the real ones; only what passes between the two ends is simulated.
 */
export class SimulatedSocket extends Socket {
  readonly simulatedOwner: Owner;
  readonly simulatedSource: string | undefined;
  readonly #wire: Wire;
  #peer: SimulatedSocket | undefined;
  /** When all that was sent so far has arrived: nothing overtakes. */
  #arrivedAt = 0;
  #idle: NodeJS.Timeout | undefined;
  #idleMs = 0;
  /** Data that waits for the end of a stall; undefined without one. */
  #stalled: (() => void)[] | undefined;
  /** How much still passes before the connection breaks; undefined for any. */
  #bytesLeft: number | undefined;
  /** Told everything that this end sends, at the moment it does. */
  onSend: ((bytes: Buffer) => void) | undefined;

  constructor({ wire, owner, remote, source }: EndOptions) {
    super({ allowHalfOpen: false });
    this.#wire = wire;
    this.simulatedOwner = owner;
    this.simulatedSource = source;
    Object.defineProperty(this, 'remoteAddress', { value: remote.address });
    Object.defineProperty(this, 'remotePort', { value: remote.port });
    Object.defineProperty(this, 'remoteFamily', { value: 'IPv4' });
  }

  /** Joins two ends; what either sends arrives after `openMs` at the earliest. */
  static join(one: SimulatedSocket, other: SimulatedSocket, openMs: number): void {
    one.#peer = other;
    other.#peer = one;
    const at = one.#wire.kernel.now() + openMs;
    one.#arrivedAt = at;
    other.#arrivedAt = at;
  }

  /** Runs `act` for an end, once what was sent to it has arrived. */
  #deliver(to: SimulatedSocket, act: () => void): void {
    const { kernel, latencyMs } = this.#wire;
    this.#arrivedAt = Math.max(this.#arrivedAt, kernel.now() + latencyMs());
    kernel.schedule(this.#arrivedAt - kernel.now(), act, to.simulatedOwner);
  }

  /** The machine of the other end is gone, or its process. */
  resetByPeer(): void {
    const { kernel, latencyMs } = this.#wire;
    kernel.schedule(latencyMs(), () => this.destroy(systemError('ECONNRESET', 'read')), this.simulatedOwner);
  }

  refuse(): void {
    const { kernel, latencyMs } = this.#wire;
    kernel.schedule(
      latencyMs(),
      () => this.destroy(systemError('ECONNREFUSED', 'connect')),
      this.simulatedOwner,
    );
  }

  /** Lets nothing pass that this end sends, until the stall is over. */
  stall(): void {
    this.#stalled ??= [];
  }

  endStall(): void {
    const waiting = this.#stalled ?? [];
    this.#stalled = undefined;
    for (const send of waiting) send();
  }

  /** Breaks the connection once so many further bytes of this end have arrived, wherever in a frame that is. */
  cutAfter(bytes: number): void {
    this.#bytesLeft = bytes;
    if (bytes === 0) this.#peer?.resetByPeer();
  }

  #send(bytes: Buffer, written: Written): void {
    if (this.#stalled !== undefined) {
      this.#stalled.push(() => this.#send(bytes, written));
      return;
    }
    const peer = this.#peer;
    if (peer === undefined) return;
    this.#touch();
    this.onSend?.(bytes);
    this.#deliver(peer, () => {
      if (peer.destroyed) return;
      peer.#touch();
      if (this.#bytesLeft === undefined) {
        peer.push(bytes);
        return;
      }
      const arriving = bytes.subarray(0, this.#bytesLeft);
      this.#bytesLeft -= arriving.length;
      if (arriving.length > 0) peer.push(arriving);
      if (this.#bytesLeft === 0) peer.destroy(systemError('ECONNRESET', 'read'));
    });
    // The room in the send buffer is free again when the data has arrived.
    const { kernel } = this.#wire;
    kernel.schedule(this.#arrivedAt - kernel.now(), () => written(), this.simulatedOwner);
  }

  override _write(chunk: Buffer | string, encoding: BufferEncoding, written: Written): void {
    this.#send(typeof chunk === 'string' ? Buffer.from(chunk, encoding) : Buffer.from(chunk), written);
  }

  override _writev(
    chunks: readonly { readonly chunk: Buffer | string; readonly encoding: BufferEncoding }[],
    written: Written,
  ): void {
    const parts = chunks.map(({ chunk, encoding }) =>
      typeof chunk === 'string' ? Buffer.from(chunk, encoding) : chunk,
    );
    this.#send(Buffer.concat(parts), written);
  }

  override _read(): void {}

  override _final(done: Written): void {
    const peer = this.#peer;
    const end = () =>
      peer &&
      this.#deliver(peer, () => {
        if (!peer.destroyed) peer.push(null);
      });
    if (this.#stalled === undefined) end();
    else this.#stalled.push(end);
    done();
  }

  override _destroy(error: Error | null, done: Written): void {
    clearTimeout(this.#idle);
    const peer = this.#peer;
    if (peer !== undefined && !peer.destroyed) {
      const isReset = error !== null || !this.writableFinished;
      this.#deliver(peer, () => {
        if (peer.destroyed) return;
        if (isReset) peer.destroy(systemError('ECONNRESET', 'read'));
        else if (!peer.readableEnded) peer.push(null);
      });
    }
    done(error);
    // Node's sockets do this themselves too.
    process.nextTick(() => this.emit('close', error !== null));
  }

  override resetAndDestroy(): this {
    return this.destroy(systemError('ECONNRESET', 'write'));
  }

  #touch(): void {
    clearTimeout(this.#idle);
    if (this.#idleMs > 0 && !this.destroyed)
      this.#idle = this.#wire.kernel.as(this.simulatedOwner, () =>
        setTimeout(() => this.emit('timeout'), this.#idleMs),
      );
  }

  override setTimeout(ms: number, callback?: () => void): this {
    this.#idleMs = ms;
    if (callback !== undefined && ms > 0) this.once('timeout', callback);
    if (callback !== undefined && ms === 0) this.off('timeout', callback);
    this.#touch();
    return this;
  }

  override setNoDelay(): this {
    return this;
  }

  override setKeepAlive(): this {
    return this;
  }

  override ref(): this {
    return this;
  }

  override unref(): this {
    return this;
  }
}
