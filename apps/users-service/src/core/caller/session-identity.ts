/** Who is calling, as proved by an access token. */
export interface SessionIdentity {
  readonly userId: string;
  readonly sessionId: string;
}

declare global {
  namespace Express {
    interface Request {
      /** Who calls; undefined on public routes. */
      session?: SessionIdentity;
    }
  }
}
