/** A refusal in the style that providers and issuers share: `{"error":{"type","message"}}`. */
export class Refusal extends Error {
  /**
   * @param type machine-readable, such as `invalid_request`
   * @param headers further headers of the answer, such as `retry-after`
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

/** The refusal of a malformed request. */
export function invalidRequest(message: string): Refusal {
  return new Refusal(422, 'invalid_request', message);
}
