/** Something that a party did because it was asked to. */
export interface Effect {
  /** UUIDv7. */
  readonly id: string;
  /** `bank`, `issuer:kaveri`, ... */
  readonly party: string;
  /** `penny_drop`, `message`, ... */
  readonly kind: string;
  /** Whom or what it was done to: an account number, an address, a reference. */
  readonly subject: string;
  readonly idempotencyKey: string | null;
  /** Calls that carried its key: 1 when it was asked for once. */
  readonly calls: number;
  readonly at: Date;
}

export interface NewEffect extends Pick<Effect, 'party' | 'kind' | 'subject'> {
  readonly idempotencyKey?: string | undefined;
  /** Among whose keys the key is looked for. Without it the party's own, of this kind of effect. */
  readonly keysOf?: string;
}
