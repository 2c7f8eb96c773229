/** A refusal in the style that the parties out there share: `{"error":{"type","message"}}`. */
export class Refusal extends Error {
  /**
   * @param type machine-readable, in their words, as `invalid_request`
   * @param headers further headers of the answer, as `retry-after`
   */
  constructor(
    readonly status: number,
    readonly type: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = 'Refusal';
  }
}

/** A request that could not be used, whatever was wrong with it. */
export function invalidRequest(message: string): Refusal {
  return new Refusal(422, 'invalid_request', message);
}
