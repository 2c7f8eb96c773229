/**
 * A payload that has been written as JSON already, for an answer that many get alike: the envelope is put around the
 * text as it is.
 */
export class WrittenPayload<T extends object> {
  readonly json: string;

  constructor(payload: T) {
    this.json = JSON.stringify(payload);
  }
}
