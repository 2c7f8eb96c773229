import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { User } from '../../identity/index.js';

/** A text that a person has accepted; each text once. */
@Entity('accepted_declarations')
export class AcceptedDeclaration {
  @ForeignKey(() => User) @PrimaryColumn('uuid') userId: string;
  @PrimaryColumn('text') code: string;
  @PrimaryColumn('text') version: string;
  @Column({ type: 'timestamptz', default: () => 'now()' }) acceptedAt: Date;
}
