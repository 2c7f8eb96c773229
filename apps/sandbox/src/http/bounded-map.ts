/** A map that forgets its oldest entries: the sandbox keeps everything in memory, so nothing may grow without end. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  constructor(private readonly capacity = 10_000) {
    super();
  }

  /** An entry that is set again is as young as a new one. */
  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.capacity) this.delete(this.keys().next().value as Key);
    return this;
  }
}
