import { Injectable } from '@nestjs/common';
import type { AadhaarSeedingStatus } from '@fd/contracts';
import type { ErrorCode } from '@fd/errors';
import { Database, pipelined, type Queryable } from '@fd/platform';
import { v7 as uuidv7 } from 'uuid';
import { AuditTrail, KeyedHash, PiiCipher, type SessionIdentity } from '../../core/index.js';
import { LOCK_USER } from '../../identity/index.js';
import { JourneyRepository, type StepState } from '../../journey/index.js';
import type { PanNames, PanQuery } from './pan-registry.port.js';
import { BEGIN_LOOKUP, IDENTITY, KEEP_IDENTITY } from './pan.queries.js';

/** Who a user is, as the PAN registry confirmed it. */
export interface PanIdentity extends PanNames, PanQuery {}

/** An identity with the verification that it came from. */
export interface VerifiedIdentity extends PanIdentity {
  readonly verificationId: string;
  readonly panStatus: 'VALID';
  readonly aadhaarSeedingStatus: AadhaarSeedingStatus;
  readonly verifiedAt: Date;
}

export type NewIdentity = Omit<VerifiedIdentity, 'verifiedAt'>;

type Row = Omit<VerifiedIdentity, keyof PanNames> & { readonly names: string };

/** Whose look-up it is, in which session, and from where it came. */
export type Claimant = SessionIdentity & { readonly ip: string };

/** A look-up that may be made now, an identity that spares it, or the seconds until the next one. */
export type BegunLookup =
  | { readonly outcome: 'begun'; readonly id: string }
  | { readonly outcome: 'known'; readonly identity: VerifiedIdentity }
  | { readonly outcome: 'too-many'; readonly waitSeconds: number };

/** Who the users are, one identity each; one PAN belongs to one user. Look-ups are counted; what was asked is not kept. */
@Injectable()
export class IdentitiesRepository {
  constructor(
    private readonly database: Database,
    private readonly cipher: PiiCipher,
    private readonly hash: KeyedHash,
    private readonly audit: AuditTrail,
    private readonly journey: JourneyRepository,
  ) {}

  /** Who a user is; undefined until a PAN is verified. Never send it on unmasked. */
  async findByUserId(
    userId: string,
    connection: Queryable = this.database,
  ): Promise<VerifiedIdentity | undefined> {
    const [row] = await connection.query<Row[]>(
      `SELECT ${IDENTITY} FROM onboarding.identities WHERE user_id = $1`,
      [userId],
    );
    return row && this.open(userId, row);
  }

  /** Counts a look-up before it is made, with consent and step: a process that dies in between leaves it counted. */
  async beginLookup({ userId, sessionId, ip }: Claimant): Promise<BegunLookup> {
    const [id, consentId] = [uuidv7(), uuidv7()];
    const values = [
      userId,
      id,
      consentId,
      this.hash.of('consents.ip', ip),
      sessionId,
      this.audit.rowOf({ action: 'CONSENT_GIVEN', subject: userId, object: consentId }),
      this.audit.rowOf({ action: 'PAN_SENT_TO_REGISTRY', subject: userId, object: id }),
    ];
    // nothing is decided in between: one round trip
    const [, [begun]] = await this.database.transaction((transaction) =>
      pipelined([
        transaction.query(LOCK_USER, [userId]),
        transaction.query<[Partial<Row> & { waitSeconds: number | null; newState: StepState | null }]>(
          BEGIN_LOOKUP,
          values,
        ),
        transaction.commit(),
      ]),
    );
    const { waitSeconds, newState, ...known } = begun;
    if (known.verificationId) return { outcome: 'known', identity: this.open(userId, known as Row) };
    if (waitSeconds !== null) return { outcome: 'too-many', waitSeconds };
    this.noteStep(newState);
    return { outcome: 'begun', id };
  }

  /** Takes a look-up back that does not count. */
  async uncountLookup(userId: string, id: string): Promise<void> {
    await this.database.query('DELETE FROM onboarding.pan_lookups WHERE id = $1 AND user_id = $2', [
      id,
      userId,
    ]);
  }

  /**
   * Keeps an identity and completes the step.
   * @returns the identity that the user has now; undefined: another user has this PAN
   */
  async keep(userId: string, identity: NewIdentity): Promise<VerifiedIdentity | undefined> {
    const { pan, dateOfBirth, verificationId, fullName, firstName, middleName, lastName, fatherName } =
      identity;
    const names: PanNames = { fullName, firstName, middleName, lastName, fatherName };
    const [kept] = await this.database.query<{ verifiedAt: Date; newState: StepState | null }[]>(
      KEEP_IDENTITY,
      [
        userId,
        verificationId,
        this.hash.of('identities.pan', pan),
        this.cipher.encrypt(pan, locationOf(userId, 'pan')),
        this.cipher.encrypt(dateOfBirth, locationOf(userId, 'dob')),
        this.cipher.encrypt(JSON.stringify(names), locationOf(userId, 'names')),
        identity.panStatus,
        identity.aadhaarSeedingStatus,
        this.audit.rowOf({ action: 'PAN_VERIFIED', subject: userId, object: verificationId }),
      ],
    );
    if (!kept) return this.findByUserId(userId);
    this.noteStep(kept.newState);
    return { ...identity, verifiedAt: kept.verifiedAt };
  }

  async recordFailure(userId: string, reason: ErrorCode): Promise<void> {
    await this.journey.record({ userId, step: 'PAN', event: 'FAILED', reason });
  }

  private open(userId: string, { names, ...row }: Row): VerifiedIdentity {
    return {
      ...row,
      ...(JSON.parse(this.cipher.decrypt(names, locationOf(userId, 'names'))) as PanNames),
      pan: this.cipher.decrypt(row.pan, locationOf(userId, 'pan')),
      dateOfBirth: this.cipher.decrypt(row.dateOfBirth, locationOf(userId, 'dob')),
    };
  }

  private noteStep(state: StepState | null): void {
    if (state) this.journey.noteState({ step: 'PAN', issuer: '', state });
  }
}

const locationOf = (id: string, column: 'pan' | 'dob' | 'names') => ({ table: 'identities', column, id });
