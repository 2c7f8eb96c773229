/** A map that drops its oldest entries: the sandbox stores everything in memory, so nothing may grow without a limit. */
export class BoundedMap<Key, Value> extends Map<Key, Value> {
  constructor(private readonly capacity = 10_000) {
    super();
  }

  /** Setting an entry again makes it the newest one. */
  override set(key: Key, value: Value): this {
    this.delete(key);
    super.set(key, value);
    if (this.size > this.capacity) this.delete(this.keys().next().value as Key);
    return this;
  }
}
