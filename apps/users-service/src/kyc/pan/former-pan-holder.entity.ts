import { Check, Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { User } from '../../identity/index.js';

/** The PAN that a user has lost last. */
@Entity('former_pan_holders')
@Check('ck_former_pan_holders__pan_index', 'octet_length(pan_index) = 32')
export class FormerPanHolder {
  @ForeignKey(() => User, { onDelete: 'CASCADE' }) @PrimaryColumn('uuid') userId: string;
  @Column('bytea') panIndex: Buffer;
}
