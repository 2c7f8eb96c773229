import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import { User } from '../../identity/index.js';

@Entity('personal_details')
export class PersonalDetails {
  @ForeignKey(() => User) @PrimaryColumn('uuid') userId: string;
  @Column('text') detailsEncrypted: string;
  @Column({ type: 'timestamptz', default: () => 'now()' }) updatedAt: Date;
}
