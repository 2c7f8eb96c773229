import { Check, Column, Entity, ForeignKey, Index, PrimaryColumn } from 'typeorm';
import { User } from '../../identity/index.js';

/** A user who has lost a PAN, with the last one. */
@Entity('former_pan_holders')
@Check('ck_former_pan_holders__pan_index', 'octet_length(pan_index) = 32')
@Index('ix_former_pan_holders__pan_index', ['panIndex'])
export class FormerPanHolder {
  @ForeignKey(() => User) @PrimaryColumn('uuid') userId: string;
  @Column('bytea') panIndex: Buffer;
}
