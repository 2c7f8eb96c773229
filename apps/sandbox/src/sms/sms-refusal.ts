/** A refusal in the words of the SMS providers. */
export class SmsRefusal extends Error {
  constructor(
    readonly status: 401 | 404 | 422 | 503,
    readonly type: 'authentication_failed' | 'not_found' | 'invalid_request' | 'service_unavailable',
    message: string,
  ) {
    super(message);
    this.name = 'SmsRefusal';
  }
}
