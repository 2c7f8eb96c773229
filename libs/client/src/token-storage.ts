/** What keeps a person logged in. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken: string;
}

/**
 * Where the tokens are kept. Several clients may share one, such as the tabs of a browser: whoever finds that another
 * has renewed them goes on with the new ones.
 */
export interface TokenStorage {
  read(): Tokens | null | Promise<Tokens | null>;
  /** @param tokens null: nobody is logged in any more */
  write(tokens: Tokens | null): void | Promise<void>;
}

/** Keeps the tokens for as long as the page or the process lives. */
export class MemoryTokenStorage implements TokenStorage {
  constructor(private tokens: Tokens | null = null) {}

  read(): Tokens | null {
    return this.tokens;
  }

  write(tokens: Tokens | null): void {
    this.tokens = tokens;
  }
}
