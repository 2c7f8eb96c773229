/** Tokens of a session. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/**
 * Storage of the tokens. Several clients may share one, such as the tabs of a browser: a client uses tokens that another one has
 * renewed.
 */
export interface TokenStorage {
  read(): Tokens | null | Promise<Tokens | null>;
  /** @param tokens null after the end of the session */
  write(tokens: Tokens | null): void | Promise<void>;
}

/** Stores the tokens in memory. */
export class MemoryTokenStorage implements TokenStorage {
  constructor(private tokens: Tokens | null = null) {}

  read(): Tokens | null {
    return this.tokens;
  }

  write(tokens: Tokens | null): void {
    this.tokens = tokens;
  }
}
