/**
 * A map whose entries are read when one is first asked for: a restart reads many maps, and needs few of them at once. Bytes,
 * unlike a text, are none of the collector's work until then.
 */
export class DeferredMap<K, V> extends Map<K, V> {
  #written: Uint8Array | undefined;
  readonly #entriesOf: (written: Uint8Array) => Iterable<readonly [K, V]>;

  constructor(written: Uint8Array, entriesOf: (written: Uint8Array) => Iterable<readonly [K, V]>) {
    super();
    this.#written = written;
    this.#entriesOf = entriesOf;
  }

  /** The entries as they were written; undefined once they are read. */
  get written(): Uint8Array | undefined {
    return this.#written;
  }

  override get size(): number {
    this.#read();
    return super.size;
  }

  override get(key: K): V | undefined {
    this.#read();
    return super.get(key);
  }

  override has(key: K): boolean {
    this.#read();
    return super.has(key);
  }

  override set(key: K, value: V): this {
    this.#read();
    return super.set(key, value);
  }

  override delete(key: K): boolean {
    this.#read();
    return super.delete(key);
  }

  override clear(): void {
    this.#written = undefined;
    super.clear();
  }

  override forEach(visit: (value: V, key: K, map: Map<K, V>) => void): void {
    this.#read();
    super.forEach(visit);
  }

  override keys(): MapIterator<K> {
    this.#read();
    return super.keys();
  }

  override values(): MapIterator<V> {
    this.#read();
    return super.values();
  }

  override entries(): MapIterator<[K, V]> {
    this.#read();
    return super.entries();
  }

  override [Symbol.iterator](): MapIterator<[K, V]> {
    return this.entries();
  }

  #read(): void {
    const written = this.#written;
    if (written === undefined) return;
    const entries = this.#entriesOf(written);
    this.#written = undefined;
    for (const [key, value] of entries) super.set(key, value);
  }
}
