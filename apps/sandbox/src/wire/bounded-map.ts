/** A map that forgets its oldest entries: the sandbox keeps everything in memory, so nothing may grow for ever. */
export class BoundedMap<Key, Value> {
  private readonly entries = new Map<Key, Value>();

  constructor(private readonly capacity: number) {}

  get(key: Key): Value | undefined {
    return this.entries.get(key);
  }

  /** An entry that is set again is as young as a new one. */
  set(key: Key, value: Value): void {
    this.entries.delete(key);
    this.entries.set(key, value);
    if (this.entries.size > this.capacity) this.entries.delete(this.entries.keys().next().value as Key);
  }

  delete(key: Key): void {
    this.entries.delete(key);
  }

  /** Oldest first. */
  values(): Iterable<Value> {
    return this.entries.values();
  }
}
