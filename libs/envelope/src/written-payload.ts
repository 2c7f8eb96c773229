/**
 * A payload that has been written as JSON already, for an answer that many get alike: the envelope is put around the
 * bytes as they are. Bytes, not text, which would be converted again for every answer.
 */
export class WrittenPayload<T extends object> {
  readonly json: Buffer;

  constructor(payload: T) {
    this.json = Buffer.from(JSON.stringify(payload));
  }
}
