import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { v7 as uuidv7 } from 'uuid';
import { KeyedHash } from '../pii/keyed-hash.js';
import { Consent } from './consent.entity.js';

/** What a person agrees to, with the version of the notice that was shown. */
export const CONSENT_PURPOSES = { TERMS_OF_USE: '2026-11' } as const;
export type ConsentPurpose = keyof typeof CONSENT_PURPOSES;

@Injectable()
export class ConsentsRepository {
  constructor(private readonly hash: KeyedHash) {}

  /** Records a consent in the transaction of what it allows. */
  async record(
    manager: EntityManager,
    given: { userId: string; partnerId: string; purpose: ConsentPurpose; ip: string },
  ): Promise<void> {
    await manager.insert(Consent, {
      id: uuidv7(),
      userId: given.userId,
      partnerId: given.partnerId,
      purpose: given.purpose,
      noticeVersion: CONSENT_PURPOSES[given.purpose],
      ipHash: this.hash.of('consents.ip', given.ip),
    });
  }
}
