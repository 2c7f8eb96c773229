import type { PanLookup, PanNames, PanQuery, PanRegistry } from '../../pan-registry.port.js';
import { holderKind, splitName } from '../holder.js';
import type { SetuPan, SetuPanClient } from './setu-pan.client.js';

type Holder = Extract<SetuPan, { verification: 'success' }>['data'];

const FAILED = { 'pan is invalid': 'not-valid', 'pan not found': 'not-found' } as const;

/** PAN look-ups at Setu, which does not compare the date of birth. See the README beside this file. */
export class SetuPanAdapter implements PanRegistry {
  readonly name: string;

  constructor(private readonly client: SetuPanClient) {
    this.name = client.client.name;
  }

  async lookUp({ pan }: PanQuery): Promise<PanLookup> {
    const answer = await this.client.verify(pan);
    if (answer.verification === 'failed') return { outcome: FAILED[answer.message] };
    const { data } = answer;
    const kind = holderKind(pan, data.category);
    if (kind === 'other') return { outcome: 'not-valid' };
    if (kind === 'contradiction') {
      throw this.client.client.malformed('verify-pan', 'the kind of holder');
    }
    return {
      outcome: 'verified',
      names: namesOf(data),
      isBirthDateCompared: false,
      aadhaarSeedingStatus: data.aadhaar_seeding_status,
    };
  }
}

function namesOf(holder: Holder): PanNames {
  const { full_name: fullName, first_name: firstName, middle_name: middleName, last_name: lastName } = holder;
  const parts = firstName === null ? splitName(fullName) : { firstName, middleName, lastName };
  return { fullName, ...parts, fatherName: null };
}
