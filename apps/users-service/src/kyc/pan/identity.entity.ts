import { Check, Column, Entity, Unique } from 'typeorm';
import { RegistryAnswer } from './registry-answer.entity.js';

@Entity('identities')
@Check('ck_identities__pan_status', "pan_status IN ('VALID')")
@Check('ck_identities__aadhaar_seeding_status', "aadhaar_seeding_status IN ('LINKED', 'NOT_LINKED', 'NA')")
@Check('ck_identities__pan_index', 'octet_length(pan_index) = 32')
@Unique(['panIndex'])
export class Identity extends RegistryAnswer {
  /** Whether the registry compared the date of birth; the default proves nothing. */
  @Column('boolean', { default: false }) isDobCompared: boolean;
}
