import { Injectable } from '@nestjs/common';
import type { AadhaarSeedingStatus } from '@fd/contracts';
import type { ErrorCode } from '@fd/errors';
import { Database, type Queryable } from '@fd/platform';
import { KeyedHash, PiiCipher } from '../../core/index.js';
import { JourneyRepository } from '../../journey/index.js';
import type { PanNames, PanQuery } from './pan-registry.port.js';

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

/** Who the users are, one identity each; one PAN belongs to one user. */
@Injectable()
export class IdentitiesRepository {
  constructor(
    private readonly database: Database,
    private readonly cipher: PiiCipher,
    private readonly hash: KeyedHash,
    private readonly journey: JourneyRepository,
  ) {}

  /** Who a user is; undefined until a PAN is verified. Never send it on unmasked. */
  async findByUserId(
    userId: string,
    connection: Queryable = this.database,
  ): Promise<VerifiedIdentity | undefined> {
    const [row] = await connection.query<Row[]>(
      `SELECT verification_id AS "verificationId", pan_encrypted AS pan, dob_encrypted AS "dateOfBirth",
              names_encrypted AS names, pan_status AS "panStatus",
              aadhaar_seeding_status AS "aadhaarSeedingStatus", verified_at AS "verifiedAt"
         FROM onboarding.identities WHERE user_id = $1`,
      [userId],
    );
    if (!row) return undefined;
    const { names, ...identity } = row;
    return {
      ...identity,
      ...(JSON.parse(this.cipher.decrypt(names, locationOf(userId, 'names'))) as PanNames),
      pan: this.cipher.decrypt(row.pan, locationOf(userId, 'pan')),
      dateOfBirth: this.cipher.decrypt(row.dateOfBirth, locationOf(userId, 'dob')),
    };
  }

  /**
   * Keeps an identity and completes the step, as `claim` allows it.
   * @returns the identity that the user has now; undefined: another user has this PAN
   */
  async complete(userId: string, identity: NewIdentity): Promise<VerifiedIdentity | undefined> {
    return this.database.transaction(async (transaction) => {
      if (await this.claim(transaction, userId, identity)) {
        const change = { step: 'PAN', event: 'COMPLETED', object: identity.verificationId } as const;
        await this.journey.record({ userId, ...change }, transaction);
      }
      return this.findByUserId(userId, transaction);
    });
  }

  async recordFailure(userId: string, reason: ErrorCode): Promise<void> {
    await this.journey.record({ userId, step: 'PAN', event: 'FAILED', reason });
  }

  /**
   * Keeps an identity unless the user has one, or another user has its PAN: the unique indexes decide.
   * @returns whether it was kept
   */
  async claim(connection: Queryable, userId: string, identity: NewIdentity): Promise<boolean> {
    const { pan, dateOfBirth, fullName, firstName, middleName, lastName, fatherName } = identity;
    const names: PanNames = { fullName, firstName, middleName, lastName, fatherName };
    const kept = await connection.query<unknown[]>(
      `INSERT INTO onboarding.identities
         (user_id, verification_id, pan_index, pan_encrypted, dob_encrypted, names_encrypted, pan_status,
          aadhaar_seeding_status)
       VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING RETURNING user_id`,
      [
        userId,
        identity.verificationId,
        this.hash.of('identities.pan', pan),
        this.cipher.encrypt(pan, locationOf(userId, 'pan')),
        this.cipher.encrypt(dateOfBirth, locationOf(userId, 'dob')),
        this.cipher.encrypt(JSON.stringify(names), locationOf(userId, 'names')),
        identity.panStatus,
        identity.aadhaarSeedingStatus,
      ],
    );
    return kept.length > 0;
  }
}

const locationOf = (id: string, column: 'pan' | 'dob' | 'names') => ({ table: 'identities', column, id });
