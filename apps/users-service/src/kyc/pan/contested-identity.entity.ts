import { Check, Entity, Index } from 'typeorm';
import { RegistryAnswer } from './registry-answer.entity.js';

/** The claim of a user to a PAN that another one has verified, kept until an eKYC decides. */
@Entity('contested_identities')
@Check('ck_contested_identities__pan_status', "pan_status IN ('VALID')")
@Check(
  'ck_contested_identities__aadhaar_seeding_status',
  "aadhaar_seeding_status IN ('LINKED', 'NOT_LINKED', 'NA')",
)
@Check('ck_contested_identities__pan_index', 'octet_length(pan_index) = 32')
@Index('ix_contested_identities__verified_at', ['verifiedAt'])
export class ContestedIdentity extends RegistryAnswer {}
