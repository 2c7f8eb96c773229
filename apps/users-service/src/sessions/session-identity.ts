/** Who is calling, as proved by an access token. */
export interface SessionIdentity {
  readonly userId: string;
  readonly sessionId: string;
}
